-- Which of these jobs are still ours, and whether what each needs is left of its lease, by the database's clock (E7).
select j.id, j.leased_until > clock_timestamp() + make_interval(secs => held.seconds) as enough
from unnest(cast(:jobs as bigint[]), cast(:leases as bigint[]), cast(:seconds as double precision[]))
    as held(job, lease, seconds)
join job j on j.id = held.job and j.lease = held.lease
where j.state = 'leased' and j.leased_until > clock_timestamp()
