-- Only the holder of the lease settles (E4): a job comes back with its lease where it was still ours.
with ended as (
    select * from jsonb_to_recordset(cast(:ended as jsonb)) as e(
        id bigint, lease bigint, outcome text, state text, after double precision, run_at timestamptz,
        counted boolean, throttled boolean, reason text, detail jsonb)
), ours as (
    select j.id, j.leased_at from job j join ended e on e.id = j.id
    where j.lease = e.lease and j.state = 'leased'
    order by j.id
    for update of j
), settled as (
    update job j set
        state = e.state,
        reason = e.reason,
        run_at = case when e.state = 'ready'
            then coalesce(e.run_at, godwit_now() + make_interval(secs => coalesce(e.after, 0))) else j.run_at end,
        attempts = j.attempts - case when e.counted then 0 else 1 end,
        throttles = j.throttles + case when e.throttled then 1 else 0 end,
        leased_by = null, leased_at = null, leased_until = null,
        finished_at = case when e.state in ('done', 'superseded', 'discarded') then godwit_now() end
    from ended e, ours o
    where j.id = o.id and e.id = o.id and j.lease = e.lease and j.state = 'leased'
    returning j.id, j.lease
), noted as (
    insert into attempt (account_id, job_id, number, lease, started_at, ended_at, outcome, late, detail, worker)
    select cast(n.account_id as bigint), n.id, n.number, n.lease, n.started_at, clock_timestamp(), n.outcome,
           not exists (select from settled s where s.id = n.id and s.lease = n.lease), n.detail, :worker
    from jsonb_to_recordset(cast(:ended as jsonb)) as n(
        account_id bigint, id bigint, number integer, lease bigint, started_at timestamptz, outcome text, detail jsonb)
    on conflict do nothing
)
select id, lease from settled
