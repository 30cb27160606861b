-- Only the holder of the lease settles (E4): a job comes back with its lease where it was still ours.
with ended as materialized (
    select * from jsonb_to_recordset(cast(:ended as jsonb)) as e(
        id bigint, account_id bigint, lease bigint, number integer, started_at timestamptz, outcome text,
        state text, after double precision, run_at timestamptz, counted boolean, throttled boolean, reason text,
        detail jsonb)
), now (it) as materialized (
    select godwit_now()
), ours as materialized (
    select j.id from job j
    -- What is leased has a holder (a constraint); said so, the walk is by id and not, for each, through the leased.
    where j.id = any (array(select id from ended)) and j.leased_by is not null
    order by j.id
    for update
), settled as (
    update job j set
        state = e.state,
        reason = e.reason,
        run_at = case when e.state = 'ready'
            then coalesce(e.run_at, (select it from now) + make_interval(secs => coalesce(e.after, 0)))
            else j.run_at end,
        attempts = j.attempts - case when e.counted then 0 else 1 end,
        throttles = j.throttles + case when e.throttled then 1 else 0 end,
        leased_by = null, leased_at = null, leased_until = null,
        finished_at = case when e.state in ('done', 'superseded', 'discarded') then (select it from now) end
    from ended e
    where j.id = any (array(select id from ours)) and j.id = e.id and j.lease = e.lease
      and j.leased_by is not null
    returning j.id, j.lease
), noted as (
    insert into attempt (account_id, job_id, number, lease, started_at, ended_at, outcome, late, detail, worker)
    select e.account_id, e.id, e.number, e.lease, e.started_at, clock_timestamp(), e.outcome, s.id is null, e.detail,
           :worker
    from ended e left join settled s on s.id = e.id and s.lease = e.lease
    on conflict do nothing
)
select id, lease from settled
