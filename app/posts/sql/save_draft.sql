-- A save over exactly the version it started from: no row when another save came between.
update draft
   set title = :title, slug = :slug, markdown = :markdown, excerpt = :excerpt, tags = cast(:tags as text[]),
       access = :access, plan_id = cast(:plan_id as uuid), kind = :kind, cover = :cover, cover_alt = :cover_alt,
       seo_title = :seo_title, seo_description = :seo_description,
       version = version + 1, updated_at = godwit_now(), updated_by = cast(:by as uuid)
 where account_id = :account and post_id = :post and version = :version
returning version, updated_at
