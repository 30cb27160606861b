-- The years in which posts were published, by the calendar of a zone, newest first, with how many.
select cast(extract(year from p.published_at at time zone cast(:zone as text)) as integer) as year, count(*) as posts
  from post p
  join revision r on r.account_id = p.account_id and r.id = p.live_revision_id
 where p.account_id = :account and p.live_revision_id is not null and r.kind = 'post'
 group by year
 order by year desc
