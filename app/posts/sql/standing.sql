-- Which of these addresses a site has: live slugs, old paths that lead on, and pictures by their hash.
select p.slug as address, '' as kind
  from post p
 where p.account_id = :account and p.live_revision_id is not null and p.slug = any (cast(:slugs as text[]))
union all
select d.path, ''
  from redirect d
  left join post p on p.account_id = d.account_id and p.id = d.post_id and p.live_revision_id is not null
 where d.account_id = :account and d.path = any (cast(:paths as text[])) and (d.target is not null or p.slug is not null)
union all
select m.hash, m.kind
  from media m
 where m.account_id = :account and m.hash = any (cast(:hashes as text[]))
