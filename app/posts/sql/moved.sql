-- Addresses that posts left lead on to them; one that a post stands at leads nowhere else.
with taken as (
    delete from redirect where account_id = :account and path = any (cast(:taken as text[]))
)
insert into redirect (account_id, path, post_id)
select :account, c.path, c.post_id
  from jsonb_to_recordset(cast(:left as jsonb)) as c(path text, post_id uuid)
 where c.path <> all (cast(:taken as text[]))
on conflict (account_id, path) do update set post_id = excluded.post_id, target = null
