-- Published versions newest first, each with what it changed; the newest of all is live.
select r.number, r.published_at, coalesce(nullif(r.published_by_name, ''), c.name, '') as published_by,
       r.restored_from, r.number = counter.newest as live,
       (select jsonb_agg(jsonb_build_object('post_id', x.post_id, 'revision_id', x.revision_id, 'title', v.title,
                                            'slug', x.slug, 'action', x.action,
                                            'access', v.access, 'plan_id', v.plan_id) order by v.title)
          from release_change x
          join revision v on v.account_id = x.account_id and v.id = x.revision_id
         where x.account_id = r.account_id and x.number = r.number) as changes
  from release r
  join release_counter counter on counter.account_id = r.account_id
  left join creator c on c.id = r.published_by
 where r.account_id = :account
   and (cast(:below as integer) is null or r.number < :below)
   and (cast(:exact as integer) is null or r.number = :exact)
 order by r.number desc
 limit :most
