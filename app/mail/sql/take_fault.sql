-- The faults that fire at this call: every slow one, and the first of the others; each match is counted once.
with matching as (
    select id, kind, kind = 'slow' as slow, seen >= after and (times is null or fired < times) as due,
        -- One address refused among many: the caller has to split, and the fault fires when it stands alone.
        kind = 'refuse' and match_to is not null and cardinality(cast(:to as text[])) > 1 as splits
    from mailbox.fault
    where target = 'provider' and (match_to is null or match_to = any(cast(:to as text[])))
    order by id
    for update
),
firing as (
    select id, kind, splits, due and (slow or id = min(id) filter (where due and not slow) over ()) as fires
    from matching
)
update mailbox.fault f
set seen = f.seen + cast(not (firing.fires and firing.splits) as int),
    fired = f.fired + cast(firing.fires and not firing.splits as int)
from firing
where f.id = firing.id
returning case when firing.fires then case when firing.splits then 'split' else firing.kind end end as kind,
    case when firing.fires then f.delay else 0 end as delay
