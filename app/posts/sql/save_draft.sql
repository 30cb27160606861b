-- A save over exactly the version it started from: no row when another save came between.
with saved as (
    update draft
       set title = :title, slug = :slug, markdown = :markdown, excerpt = :excerpt, tags = cast(:tags as text[]),
           access = :access, plan_id = cast(:plan_id as uuid), kind = :kind, cover = :cover, cover_alt = :cover_alt,
           seo_title = :seo_title, seo_description = :seo_description,
           version = version + 1, updated_at = godwit_now(), updated_by = cast(:by as uuid)
     where account_id = :account and post_id = :post and version = :version
    returning version, updated_at
)
select s.version, s.updated_at, p.slug as live_slug, p.created_at as made_at, p.published_at, r.created_at as live_since
  from saved s
  join post p on p.account_id = :account and p.id = :post
  left join revision r on r.account_id = p.account_id and r.id = p.live_revision_id
