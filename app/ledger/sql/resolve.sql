-- The provider's record settles an unknown batch: those in it were sent; those not in a whole record were not.
with ended as (
    update batch set state = 'resolved', blanks = null, look_up_at = null, reason = :reason
    where account_id = :account and id = :batch and state = 'unknown'
    returning mailing_id
), locked as materialized (
    select s.reader_id, s.reader_id = any (cast(:found as uuid[])) as found, m.state as mailing_state
    from ended e
    join mailing m on m.account_id = :account and m.id = e.mailing_id
    join send s on s.account_id = :account and s.mailing_id = e.mailing_id and s.batch_id = :batch
    where s.state = 'unknown'
    order by s.reader_id
    for update of s
), moved as (
    update send s set
        state = case when l.found then 'sent' when l.mailing_state = 'cancelled' then 'skipped' else 'planned' end,
        batch_id = case when l.found then s.batch_id end,
        reason = case when not l.found and l.mailing_state = 'cancelled' then 'the email was cancelled' end,
        settled_at = case when l.found or l.mailing_state = 'cancelled' then godwit_now() end
    from locked l
    where s.account_id = :account and s.mailing_id = :mailing and s.reader_id = l.reader_id and s.state = 'unknown'
    returning s.state
), changed as (
    select state, count(*) as n from moved group by state
    union all
    select 'unknown', -count(*) from moved having count(*) > 0
), tallied as (
    insert into tally as t (account_id, mailing_id, shard, state, n)
    select :account, :mailing, 0, state, n from changed
    order by state
    on conflict (account_id, mailing_id, shard, state) do update set n = t.n + excluded.n
)
select (select count(*) from moved) as moved, (select count(*) from moved where state = 'sent') as sent
