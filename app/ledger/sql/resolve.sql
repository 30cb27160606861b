-- The provider's record settles an unknown batch: those in it were sent; those not in a whole record were not.
with ended as (
    update batch set state = 'resolved', blanks = null, look_up_at = null, reason = :reason
    where account_id = :account and id = :batch and state = 'unknown'
    returning mailing_id
), locked as materialized (
    select s.reader_id,
           case when s.reader_id = any (cast(:found as uuid[])) then 'sent'
                when m.state = 'cancelled' then 'skipped' else 'planned' end as becomes
    from ended e
    join mailing m on m.account_id = :account and m.id = e.mailing_id
    join send s on s.account_id = :account and s.mailing_id = e.mailing_id and s.batch_id = :batch
    where s.state = 'unknown'
    order by s.reader_id
    for update of s
), moved as (
    update send s set
        state = l.becomes,
        batch_id = case when l.becomes = 'sent' then s.batch_id end,
        reason = case when l.becomes = 'skipped' then 'the email was cancelled' end,
        settled_at = case when l.becomes <> 'planned' then godwit_now() end
    from locked l
    where s.account_id = :account and s.mailing_id = :mailing and s.reader_id = l.reader_id
      and s.reader_id = any (array(select reader_id from locked))
), changed as (
    select becomes as state, count(*) as n from locked group by becomes
    union all
    select 'unknown', -count(*) from locked having count(*) > 0
), tallied as (
    insert into tally as t (account_id, mailing_id, shard, state, n)
    select :account, :mailing, 0, state, n from changed
    order by state
    on conflict (account_id, mailing_id, shard, state) do update set n = t.n + excluded.n
)
select (select count(*) from locked) as moved, (select count(*) from locked where becomes = 'sent') as sent
