-- Failed copies are planned again, all in one statement with the figures (L7); the caller holds the mailing's lock.
with locked as materialized (
    select reader_id from send
    where account_id = :account and mailing_id = :mailing and state = 'failed'
    order by reader_id
    for update
), moved as (
    update send s set state = 'planned', batch_id = null, reason = null, settled_at = null
    where s.account_id = :account and s.mailing_id = :mailing and s.state = 'failed'
      and s.reader_id = any (array(select reader_id from locked))
), changed as (
    select x.state, x.sign * count(*) as n
    from locked cross join (values ('failed', -1), ('planned', 1)) as x(state, sign)
    group by x.state, x.sign
), tallied as (
    insert into tally as t (account_id, mailing_id, shard, state, n)
    select :account, :mailing, 0, state, n from changed
    order by state
    on conflict (account_id, mailing_id, shard, state) do update set n = t.n + excluded.n
)
select count(*) from locked
