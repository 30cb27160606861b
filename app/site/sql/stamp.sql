-- What every page of a site hangs on: while this row is the same, so are the pages.
select a.slug, coalesce((select c.newest from release_counter c where c.account_id = a.id), 0) as newest,
       md5(concat_ws(' ', a::text,
           (select string_agg(n::text, ' ' order by n.id) from newsletter n where n.account_id = a.id),
           (select string_agg(p::text, ' ' order by p.id) from plan p where p.account_id = a.id))) as rest
  from account a
 where a.id = :account and a.state = 'active'
