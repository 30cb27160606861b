-- The delays (s) of the slow faults that fire at this call, which is counted once at each fault it matches.
with matching as (
    select id, seen >= after and (times is null or fired < times) as fires
    from mailbox.fault
    where kind = 'slow' and (match_to is null or match_to = any(cast(:to as text[])))
    order by id
    for update
)
update mailbox.fault
set seen = fault.seen + 1, fired = fault.fired + cast(matching.fires as int)
from matching
where fault.id = matching.id
returning case when matching.fires then fault.delay else 0 end as delay
