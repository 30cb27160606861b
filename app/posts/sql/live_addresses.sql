-- Every published address, oldest publication first, so that what stands on a full page of them stays there.
select p.slug, greatest(p.published_at, r.created_at) as changed_at
  from post p
  join revision r on r.account_id = p.account_id and r.id = p.live_revision_id
 where p.account_id = :account and p.live_revision_id is not null
 order by p.published_at, p.id
 limit :most offset :skip
