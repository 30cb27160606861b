-- Scheduled publications with what they publish: what waits first, by time; then what ended, newest first.
select s.id, s.post_id, s.revision_id, r.title, r.access, r.plan_id, r.excerpt, s.at, s.zone, s.wall, s.site, s.slug,
       s.email, s.state, s.reason, s.release, s.broadcast_id, s.made_by_name, s.created_at, s.ended_at,
       coalesce(d.updated_at > r.created_at, false) as changed_since
  from scheduled s
  join revision r on r.account_id = s.account_id and r.id = s.revision_id
  left join draft d on d.account_id = s.account_id and d.post_id = s.post_id
 where s.account_id = :account
   and (cast(:id as uuid) is null or s.id = :id)
   and (cast(:post as uuid) is null or s.post_id = :post)
   and (cast(:state as text) is null or s.state = :state)
 order by s.state <> 'waiting', case when s.state = 'waiting' then s.at end, s.ended_at desc, s.id
 limit :most
