-- A save over exactly the version it started from: no row when another save came between.
update draft
   set title = :title, slug = :slug, markdown = :markdown, excerpt = :excerpt, tags = cast(:tags as text[]),
       access = :access, version = version + 1, updated_at = godwit_now(), updated_by = cast(:by as uuid)
 where account_id = :account and post_id = :post and version = :version
returning version
