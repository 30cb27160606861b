-- A job whose worker went silent is ready again, held or dead, by its kind and its tries (E2).
with lost as (
    select id, leased_at, leased_by, 1 + (
        select count(*) from attempt a
        where a.account_id = job.account_id and a.job_id = job.id and a.outcome = 'lost') as deaths
    from job
    where state = 'leased' and leased_until < clock_timestamp()
    order by id
    limit 1000
    for update of job skip locked
), freed as (
    update job j set
        state = case when j.attempts >= j.max_attempts then 'dead' else j.on_unknown end,
        reason = case when j.attempts >= j.max_attempts
            then 'its worker died ' || lost.deaths || case when lost.deaths = 1 then ' time' else ' times' end
            else 'its worker went silent' end,
        run_at = case when j.attempts < j.max_attempts and j.on_unknown = 'ready' then godwit_now() else j.run_at end,
        leased_by = null, leased_at = null, leased_until = null
    from lost
    where j.id = lost.id
    returning j.id, j.account_id, j.attempts, j.lease, j.queue, j.kind, j.state, lost.leased_at, lost.leased_by
), noted as (
    insert into attempt (account_id, job_id, number, lease, started_at, ended_at, outcome, detail, worker)
    select account_id, id, attempts, lease, leased_at, clock_timestamp(), 'lost', '{}', leased_by from freed
    on conflict do nothing
)
select id, queue, kind, state from freed
