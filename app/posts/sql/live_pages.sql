-- The pages of the site, in the order in which they were first published.
select r.title, p.slug
  from post p
  join revision r on r.account_id = p.account_id and r.id = p.live_revision_id
 where p.account_id = :account and p.live_revision_id is not null and r.kind = 'page'
 order by p.published_at, p.id
 limit :most
