-- How many posts are in each state; together they are all posts.
select count(*) filter (where r.id is null) as draft,
       count(*) filter (where r.id is not null and d.updated_at <= r.created_at) as published,
       count(*) filter (where r.id is not null and d.updated_at > r.created_at) as changed
  from post p
  join draft d on d.account_id = p.account_id and d.post_id = p.id
  left join revision r on r.account_id = p.account_id and r.id = p.live_revision_id
 where p.account_id = :account
