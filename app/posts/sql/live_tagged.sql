-- Published posts with any of these tags, newest publication first, by keyset on (published_at, id); no bodies.
select p.id, r.title, p.slug, r.kind, '' as html, '' as preview_html, r.excerpt, r.tags, r.access, r.plan_id, r.cover,
       r.cover_alt, r.seo_title, r.seo_description, r.minutes, p.published_at,
       case when r.created_at > p.published_at then r.created_at end as updated_at
  from post p
  join revision r on r.account_id = p.account_id and r.id = p.live_revision_id
 where p.account_id = :account and p.live_revision_id is not null and r.kind = 'post'
   and r.tags && cast(:tags as text[])
   and (cast(:at as timestamptz) is null or (p.published_at, p.id) < (:at, cast(:after as uuid)))
 order by p.published_at desc, p.id desc
 limit :most
