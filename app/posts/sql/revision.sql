-- One earlier version of a post, whole, and who made it.
select r.id, r.post_id, r.number, r.title, r.slug, r.markdown, r.html, r.preview_html, r.excerpt, r.tags, r.access,
       r.plan_id, r.kind, r.cover, r.cover_alt, r.seo_title, r.seo_description, r.minutes, r.kept_for, r.created_at,
       coalesce(c.name, '') as kept_by
  from revision r
  left join creator c on c.id = r.created_by
 where r.account_id = :account and r.post_id = :post and r.number = :number
