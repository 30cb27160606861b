-- Posts newest first, by keyset on (created_at, id), each with the state that its draft and live revision make,
-- and with what of it waits for its time (one at most: index scheduled_once).
select * from (
    select p.id, case when d.title = '' then 'Untitled' else d.title end as title, p.slug, p.created_at, p.published_at,
           d.updated_at as saved_at, s.id as scheduled_id, s.at as scheduled_at, coalesce(c.name, '') as saved_by,
           case when r.id is null then 'draft' when d.updated_at > r.created_at then 'changed' else 'published' end as state
      from post p
      join draft d on d.account_id = p.account_id and d.post_id = p.id
      left join revision r on r.account_id = p.account_id and r.id = p.live_revision_id
      left join scheduled s on s.account_id = p.account_id and s.post_id = p.id and s.state = 'waiting'
      left join creator c on c.id = d.updated_by
     where p.account_id = :account
       and (cast(:at as timestamptz) is null or (p.created_at, p.id) < (:at, cast(:after as uuid)))
       and (:search = '' or position(:search in lower(d.title)) > 0 or position(:search in coalesce(p.slug, d.slug)) > 0
            or exists (select from unnest(d.tags) as tag where lower(tag) = :search))
) as line
where :state = '' or state = :state or (:state = 'scheduled' and scheduled_id is not null)
order by created_at desc, id desc
limit :most
