-- Which of these jobs are still ours, and whether :seconds are left of the lease, by the database's clock (E7).
select j.id, j.leased_until > clock_timestamp() + make_interval(secs => :seconds) as enough
from unnest(cast(:jobs as bigint[]), cast(:leases as bigint[])) as held(job, lease)
join job j on j.id = held.job and j.lease = held.lease
where j.state = 'leased' and j.leased_until > clock_timestamp()
