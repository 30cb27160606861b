-- One post with the state that its draft and live revision make.
select p.id, case when d.title = '' then 'Untitled' else d.title end as title, p.slug, p.created_at, p.published_at,
       d.updated_at as saved_at, coalesce(c.name, '') as saved_by,
       case when r.id is null then 'draft' when d.updated_at > r.created_at then 'changed' else 'published' end as state
  from post p
  join draft d on d.account_id = p.account_id and d.post_id = p.id
  left join revision r on r.account_id = p.account_id and r.id = p.live_revision_id
  left join creator c on c.id = d.updated_by
 where p.account_id = :account and p.id = :post
