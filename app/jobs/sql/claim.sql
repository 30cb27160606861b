-- Leases due jobs of one queue to one worker, few per share, beginning after the share last served;
-- no share holds more than :most_leases of the queue at this worker (E3, E10): what a dead worker still
-- holds takes no place from the living. What is past its time is discarded.
with recursive ahead (share) as (
    (select share from job
     where queue = :queue and state = 'ready' and share > :after
     order by share limit 1)
    union all
    select (select j.share from job j
            where j.queue = :queue and j.state = 'ready' and j.share > a.share
            order by j.share limit 1)
    from ahead a where a.share is not null
), behind (share) as (
    (select share from job
     where queue = :queue and state = 'ready' and share <= :after
     order by share limit 1)
    union all
    select (select j.share from job j
            where j.queue = :queue and j.state = 'ready' and j.share > b.share and j.share <= :after
            order by j.share limit 1)
    from behind b where b.share is not null
), turns (share) as (
    select share from ahead where share is not null
    union all
    select share from behind where share is not null
)
update job set
    state = case when expires_at <= godwit_now() then 'discarded' else 'leased' end,
    reason = case when expires_at <= godwit_now() then 'its time had passed' end,
    finished_at = case when expires_at <= godwit_now() then godwit_now() end,
    lease = nextval('job_lease'),
    leased_by = case when expires_at <= godwit_now() then null else cast(:worker as text) end,
    leased_at = case when expires_at <= godwit_now() then null else clock_timestamp() end,
    leased_until = case when expires_at <= godwit_now() then null
                   else clock_timestamp() + make_interval(secs => :lease_seconds) end,
    attempts = attempts + 1
where id = any (array(
    select due.id
    from turns
    cross join lateral (
        select j.id from job j
        where j.queue = :queue and j.share = turns.share and j.state = 'ready'
          and j.run_at <= godwit_now() and j.kind = any (cast(:kinds as text[]))
        order by j.run_at, j.id
        limit greatest(0, least(:per_share, :most_leases - (
            select count(*) from job l
            where l.queue = :queue and l.share = turns.share and l.state = 'leased' and l.leased_by = :worker)))
        for update of j skip locked
    ) as due
    limit :wanted
))
returning id, account_id, queue, kind, args, share, lease, attempts, max_attempts, on_unknown, cause, leased_at, state
