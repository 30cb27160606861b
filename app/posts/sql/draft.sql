-- The working copy of one post, who saved it last, and what became of it; asked for with a lock too.
select d.title, d.slug, d.markdown, d.excerpt, d.tags, d.access, d.plan_id, d.kind, d.cover, d.cover_alt, d.seo_title,
       d.seo_description, d.version, d.updated_at, d.updated_by, coalesce(c.name, '') as saved_by, p.slug as live_slug,
       p.created_at as made_at, p.published_at, r.created_at as live_since
  from draft d
  join post p on p.account_id = d.account_id and p.id = d.post_id
  left join revision r on r.account_id = p.account_id and r.id = p.live_revision_id
  left join creator c on c.id = d.updated_by
 where d.account_id = :account and d.post_id = :post
