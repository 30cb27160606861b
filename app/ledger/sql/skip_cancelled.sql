-- The next planned copies of a cancelled mailing are skipped, with the reason and the figures (L7, L8).
with locked as materialized (
    select s.reader_id
    from send s join mailing m on m.account_id = s.account_id and m.id = s.mailing_id
    where s.account_id = :account and s.mailing_id = :mailing and s.state = 'planned' and m.state = 'cancelled'
    order by s.reader_id
    limit :chunk
    for update of s
), moved as (
    update send s set state = 'skipped', reason = 'the email was cancelled', settled_at = godwit_now()
    where s.account_id = :account and s.mailing_id = :mailing and s.state = 'planned'
      and s.reader_id = any (array(select reader_id from locked))
), changed as (
    select x.state, x.sign * count(*) as n
    from locked cross join (values ('planned', -1), ('skipped', 1)) as x(state, sign)
    group by x.state, x.sign
), tallied as (
    insert into tally as t (account_id, mailing_id, shard, state, n)
    select :account, :mailing, 0, state, n from changed
    order by state
    on conflict (account_id, mailing_id, shard, state) do update set n = t.n + excluded.n
)
select count(*) from locked
