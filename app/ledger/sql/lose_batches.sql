-- Batches become unknown, and their rows with them (L4): those past call_until and past the time their answer may
-- take after it, whatever became of their job; or one, whose caller says so while the lease is still its own.
-- Without a record to ask there is no look_up_at: a person decides.
with lost as (
    select account_id, id, mailing_id from batch
    where state = 'calling'
      and case when cast(:batch as uuid) is null
               then call_until < clock_timestamp()
                    - make_interval(secs => case when provider = :provider then :patience else 0 end)
               else id = :batch and lease = :lease end
    order by id
    limit 100
    for update skip locked
), marked as (
    update batch b set
        state = 'unknown', settled_at = clock_timestamp(),
        reason = :reason,
        look_up_at = case when cast(:recorded as boolean) and b.provider = cast(:provider as text)
                          then b.call_until + make_interval(secs => :window) end
    from lost
    where b.account_id = lost.account_id and b.id = lost.id
    returning b.account_id, b.id, b.mailing_id, b.look_up_at
), moved as (
    update send s set state = 'unknown', reason = :reason
    from lost
    where s.account_id = lost.account_id and s.mailing_id = lost.mailing_id and s.batch_id = lost.id
      and s.state = 'sending'
    returning s.account_id, s.mailing_id
), per_mailing as (
    select account_id, mailing_id, count(*) as n from moved group by account_id, mailing_id
), tallied as (
    insert into tally as t (account_id, mailing_id, shard, state, n)
    select account_id, mailing_id, 0, x.state, x.sign * n
    from per_mailing cross join (values ('sending', -1), ('unknown', 1)) as x(state, sign)
    order by account_id, mailing_id, x.state
    on conflict (account_id, mailing_id, shard, state) do update set n = t.n + excluded.n
)
select account_id, id, mailing_id, look_up_at from marked
order by account_id, mailing_id, id
