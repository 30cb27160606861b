-- Looks again after the claim, with fresh eyes: of a lane of ranks nothing is begun once a newer one is
-- committed, and what waits in the lanes of those begun is older, due or not (E7). Until our own claim is
-- committed the newer one cannot be leased.
update job j set state = 'superseded', reason = 'superseded by the newer number ' || l.newest_rank,
    finished_at = godwit_now(), leased_by = null, leased_at = null, leased_until = null
from lane l
where j.id = any (array(
    select unnest(cast(:ids as bigint[]))
    union all
    select waiting.id from (
        select w.id from job c join job w on w.queue = c.queue and w.account_id = c.account_id and w.lane = c.lane
        where c.id = any (cast(:ids as bigint[])) and w.state = 'ready' and w.rank is not null
        limit 2000
        for update of w skip locked) as waiting))
  and j.state in ('leased', 'ready')
  and l.account_id = j.account_id and l.lane = j.lane and j.rank < l.newest_rank
returning j.id
