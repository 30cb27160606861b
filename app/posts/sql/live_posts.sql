-- What the site shows, newest publication first, by keyset on (published_at, id).
select p.id, r.title, p.slug, case when cast(:bodies as boolean) then r.html else '' end as html, r.excerpt, r.tags,
       r.access, r.minutes, p.published_at,
       case when r.created_at > p.published_at then r.created_at end as updated_at
  from post p
  join revision r on r.account_id = p.account_id and r.id = p.live_revision_id
 where p.account_id = :account and p.live_revision_id is not null
   and (cast(:at as timestamptz) is null or (p.published_at, p.id) < (:at, cast(:after as uuid)))
 order by p.published_at desc, p.id desc
 limit :most
