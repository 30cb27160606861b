-- Titles of published posts from one instant until before another, newest first, by keyset on (published_at, id).
select p.id, r.title, p.slug, r.access, r.plan_id, p.published_at
  from post p
  join revision r on r.account_id = p.account_id and r.id = p.live_revision_id
 where p.account_id = :account and p.live_revision_id is not null and r.kind = 'post'
   and (cast(:since as timestamptz) is null or p.published_at >= :since)
   and (cast(:until as timestamptz) is null or p.published_at < :until)
   and (cast(:at as timestamptz) is null or (p.published_at, p.id) < (:at, cast(:after as uuid)))
 order by p.published_at desc, p.id desc
 limit :most
