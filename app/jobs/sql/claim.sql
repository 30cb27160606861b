-- Leases due jobs of one queue to one worker, few per share, beginning after the share last served; none gets
-- more than :most_leases, or what :room says of it (E10). What was due before :since is left to who looks back.
-- Of a lane only the first goes, and only while no other is out;
-- in a lane of ranks only the newest; with :older, those that are older anywhere become superseded, due or
-- not (E7): a look through all that are ready, so not in every claim. What is past its time
-- is discarded, and a code while mail is stopped; other mail that is stopped stays where it is (M2, L5).
with now (it) as materialized (
    select godwit_now()  -- once: asked in each row it would keep the index from ending at what is due
), older as (
    update job o set state = 'superseded', reason = 'superseded by the newer number ' || l.newest_rank,
        finished_at = (select it from now)
    from lane l
    where l.account_id = o.account_id and l.lane = o.lane and o.id = any (array(
        select j.id from job j join lane n on n.account_id = j.account_id and n.lane = j.lane
        where cast(:older as boolean) and j.queue = :queue and j.state = 'ready' and j.rank < n.newest_rank
        limit 500
        for update of j skip locked))
)
update job j set
    lease = nextval('job_lease'),
    attempts = attempts + 1,
    (state, reason, finished_at, leased_by, leased_at, leased_until) = (
        select case when ended.why is null then 'leased' else 'discarded' end,
               ended.why,
               case when ended.why is not null then (select it from now) end,
               case when ended.why is null then cast(:worker as text) end,
               case when ended.why is null then clock_timestamp() end,
               case when ended.why is null then clock_timestamp() + make_interval(secs => :lease_seconds) end
        from (select case
            when j.expires_at <= (select it from now) then 'its time had passed'
            when j.queue in ('codes_creators', 'codes_readers') and exists (
                select from switch s where s.account_id in (0, j.account_id) and s.stopped and s.scope = 'all')
            then 'mail is stopped' end as why offset 0) as ended)  -- offset: worked out once a row
where id = any (array(
    select min(due.id) from (
        select due.id, due.account_id, due.lane
        from turns(cast(:queue as text), cast(:after as text), cast(:since as timestamptz))
        cross join lateral (
            select one.* from (
                select free.* from (
                 select f.id, f.account_id, f.lane, f.run_at from job f
                 where f.queue = :queue and f.share = turns.share and f.state = 'ready' and f.lane is null
                   and f.run_at >= cast(:since as timestamptz) and f.run_at <= (select it from now)
                   and f.version <= (cast(:known as jsonb) ->> f.kind)::integer
                 order by f.run_at, f.id
                 limit :per_share
                 for update of f skip locked) as free
                union all
                select head.* from (
                 select h.id, h.account_id, h.lane, h.run_at
                 from (
                    with recursive lanes (account_id, lane) as (
                        (select n.account_id, n.lane from job n
                         where cast(:lanes as boolean) and n.queue = :queue and n.share = turns.share
                           and n.state = 'ready' and n.lane is not null
                         order by n.account_id, n.lane limit 1)
                        union all
                        select n.account_id, n.lane from lanes cross join lateral (
                            select m.account_id, m.lane from job m
                            where m.queue = :queue and m.share = turns.share and m.state = 'ready'
                              and m.lane is not null and (m.account_id, m.lane) > (lanes.account_id, lanes.lane)
                            order by m.account_id, m.lane limit 1) as n
                    )
                    select * from lanes
                 ) as lanes
                 cross join lateral (
                    select c.id from job c
                    where c.queue = :queue and c.share = turns.share and c.state = 'ready'
                      and c.account_id = lanes.account_id and c.lane = lanes.lane
                      and (c.rank is null or c.rank = (
                          select l.newest_rank from lane l
                          where l.account_id = lanes.account_id and l.lane = lanes.lane))
                    order by c.id limit 1
                 ) as first
                 join job h on h.id = first.id
                 where h.state = 'ready' and h.run_at <= (select it from now)
                   and h.version <= (cast(:known as jsonb) ->> h.kind)::integer
                   and not exists (select from job out where out.account_id = h.account_id
                                   and out.lane = h.lane and out.state = 'leased')
                 limit :per_share
                 for update of h skip locked) as head
            ) as one
            order by one.run_at, one.id
            limit greatest(0, least(:per_share, coalesce(
                cast(cast(:room as jsonb) ->> turns.share as integer), :most_leases)))
        ) as due
        where turns.run_at <= (select it from now)
          and (:queue not in ('messages', 'sends') or not mail_stopped(turns.account_id, :queue = 'sends'))
        limit :wanted
    ) as due
    group by due.account_id, coalesce(due.lane, due.id::text)
))
returning id, account_id, queue, kind, args, share, lease, attempts, max_attempts, on_unknown, cause, leased_at,
    version, lane, rank, state
