-- Posts with their working copies, newest first by keyset on (created_at, id); or the one that is named.
select p.id, d.title, coalesce(p.slug, d.slug) as slug, d.markdown, d.excerpt, d.tags, d.access, d.plan_id,
       d.kind, d.cover, d.cover_alt, d.seo_title, d.seo_description, d.version,
       p.slug is not null as live, p.created_at, d.updated_at, p.published_at,
       case when r.id is null then 'draft' when d.updated_at > r.created_at then 'changed' else 'published' end as state
  from post p
  join draft d on d.account_id = p.account_id and d.post_id = p.id
  left join revision r on r.account_id = p.account_id and r.id = p.live_revision_id
 where p.account_id = :account
   and (cast(:post as uuid) is null or p.id = :post)
   and (cast(:at as timestamptz) is null or (p.created_at, p.id) < (:at, cast(:after as uuid)))
 order by p.created_at desc, p.id desc
 limit :most
