-- Readers by what undoing the import would do with them: each counted once, by one moment's rule (only_imported).
with asked as materialized (
    select c.act, c.act = 'created' and only_imported(c.account_id, c.import_id, c.thing_id) as goes
    from import_change c where c.import_id = :id
)
select count(*) filter (where goes) as gone,
       count(*) filter (where act = 'updated') as restored,
       count(*) filter (where act = 'created' and not goes) as kept
from asked
