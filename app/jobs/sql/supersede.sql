-- Looks again after the claim, with fresh eyes: of a lane of ranks nothing is begun once a newer one is
-- committed (E7). Until our own claim is committed the newer one cannot be leased.
update job j set state = 'superseded', reason = 'superseded by the newer number ' || l.newest_rank,
    finished_at = godwit_now(), leased_by = null, leased_at = null, leased_until = null
from lane l
where j.id = any (:ids) and j.state = 'leased'
  and l.account_id = j.account_id and l.lane = j.lane and j.rank < l.newest_rank
returning j.id
