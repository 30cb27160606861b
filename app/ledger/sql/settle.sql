-- What the provider said, by batch and lease: the rows still in this batch move, and nobody else's (L4).
with ended as (
    update batch set
        state = case when state = 'unknown' then 'resolved' else :batch_state end,
        settled_at = clock_timestamp(), reason = :reason, reference = :reference, look_up_at = null, blanks = null
    where account_id = :account and id = :batch and lease = :lease and state in ('calling', 'unknown')
    returning mailing_id, state
), locked as materialized (
    select s.reader_id, s.state as was
    from send s join ended e on e.mailing_id = s.mailing_id
    where s.account_id = :account and s.batch_id = :batch and s.state in ('sending', 'unknown')
    order by s.reader_id
    for update of s
), moved as (
    update send s set
        state = :send_state,
        batch_id = case when :send_state = 'planned' then null else s.batch_id end,
        reason = case when :send_state in ('failed', 'planned') then cast(:reason as text) end,
        settled_at = case when :send_state <> 'planned' then godwit_now() end
    where s.account_id = :account and s.mailing_id = :mailing
      and s.reader_id = any (array(select reader_id from locked))
), changed as (
    select was as state, -count(*) as n from locked group by was
    union all
    select :send_state, count(*) from locked having count(*) > 0
), tallied as (
    insert into tally as t (account_id, mailing_id, shard, state, n)
    select :account, :mailing, :shard, state, n from changed
    order by state
    on conflict (account_id, mailing_id, shard, state) do update set n = t.n + excluded.n
)
select (select count(*) from locked) as moved, exists (select from ended) as ours
