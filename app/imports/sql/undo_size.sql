-- Readers by what undoing the import would do with them: each counted once.
select count(*) filter (where c.act = 'created' and only_imported(c.account_id, c.import_id, c.thing_id)) as gone,
       count(*) filter (where c.act = 'updated') as restored,
       count(*) filter (where c.act = 'created' and not only_imported(c.account_id, c.import_id, c.thing_id)) as kept
from import_change c where c.import_id = :id
