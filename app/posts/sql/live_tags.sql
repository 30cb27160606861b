-- Every tag of a published post, with how many have it; the most used first.
select t.tag, count(*) as posts
  from post p
  join revision r on r.account_id = p.account_id and r.id = p.live_revision_id
  cross join lateral unnest(r.tags) as t (tag)
 where p.account_id = :account and p.live_revision_id is not null and r.kind = 'post'
 group by t.tag
 order by posts desc, t.tag
