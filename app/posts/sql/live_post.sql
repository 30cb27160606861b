-- The one published post at this address.
select p.id, r.title, p.slug, r.kind, r.html, r.preview_html, r.excerpt, r.tags, r.access, r.plan_id, r.cover, r.cover_alt,
       r.seo_title, r.seo_description, r.minutes, p.published_at,
       case when r.created_at > p.published_at then r.created_at end as updated_at
  from post p
  join revision r on r.account_id = p.account_id and r.id = p.live_revision_id
 where p.account_id = :account and p.slug = :slug
