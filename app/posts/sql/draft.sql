-- The working copy of one post, and who saved it last.
select d.title, d.slug, d.markdown, d.excerpt, d.tags, d.access, d.plan_id, d.kind, d.cover, d.cover_alt, d.seo_title,
       d.seo_description, d.version, d.updated_at, d.updated_by, coalesce(c.name, '') as saved_by, p.slug as live_slug
  from draft d
  join post p on p.account_id = d.account_id and p.id = d.post_id
  left join creator c on c.id = d.updated_by
 where d.account_id = :account and d.post_id = :post
