-- A person settles unknown copies: sent, or planned again (skipped where the mailing is cancelled), with the figures.
with locked as materialized (
    select s.reader_id, s.batch_id,
           case when cast(:become as text) = 'sent' then 'sent'
                when m.state = 'cancelled' then 'skipped' else 'planned' end as becomes
    from send s join mailing m on m.account_id = s.account_id and m.id = s.mailing_id
    where s.account_id = :account and s.mailing_id = :mailing and s.state = 'unknown'
      and (cast(:readers as uuid[]) is null or s.reader_id = any (cast(:readers as uuid[])))
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
select reader_id, batch_id, becomes from locked
