-- Since when the jobs of a queue that are ready may have been due: none that is ready and visible now is older,
-- nor one that is committed :margin seconds after it was made. Walks through all that died and cannot be cleared
-- away yet, which is why a claim does not. Reads the clock first: the walk may take longer than the margin.
with now (it) as materialized (
    select godwit_now()
)
select least(now.it, (select min(run_at) from turns(cast(:queue as text), '', '-infinity')))
    - make_interval(secs => :margin)
from now
