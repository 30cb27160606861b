-- Earlier versions of a post, newest first by keyset on their number; words are counted by the spaces between them.
select r.number, r.title, r.kept_for, coalesce(c.name, '') as kept_by, r.created_at,
       coalesce(array_length(regexp_split_to_array(nullif(trim(r.markdown), ''), '\s+'), 1), 0) as words,
       coalesce(p.live_revision_id = r.id, false) as live
  from revision r
  join post p on p.account_id = r.account_id and p.id = r.post_id
  left join creator c on c.id = r.created_by
 where r.account_id = :account and r.post_id = :post
   and (cast(:below as integer) is null or r.number < :below)
 order by r.number desc
 limit :most
