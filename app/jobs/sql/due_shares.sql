-- The shares of a queue whose next job is due, beginning after the share last served: whose they are, and what
-- kind of job it is. Walks the index from share to share, and ends at :most.
with recursive now (it) as materialized (
    select godwit_now()
), ahead (share) as (
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
select turns.share, next.account_id, next.kind
from turns cross join lateral (
    select j.account_id, j.kind, j.run_at from job j
    where j.queue = :queue and j.state = 'ready' and j.share = turns.share
    order by j.run_at limit 1
) as next
where next.run_at <= (select it from now)
limit :most
