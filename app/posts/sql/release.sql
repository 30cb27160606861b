-- One release and all that it changed, with the posts that stand on the site by it; of these the first time is
-- remembered. The counter's row is locked, so the number is free. What leaves the site has left it (vacate); addresses
-- that posts left lead on to them, and one that a post stands at leads nowhere else.
with changes as materialized (
    select c.post_id, c.action, c.revision_id, c.slug
    from jsonb_to_recordset(cast(:changes as jsonb)) as c(post_id uuid, action text, revision_id uuid, slug text)
), made as (
    insert into release (account_id, number, published_by, published_by_name, restored_from)
    values (:account, :number, cast(:by as uuid), :by_name, cast(:restored_from as integer))
    returning published_at
), changed as (
    insert into release_change (account_id, number, post_id, action, revision_id, slug)
    select :account, :number, post_id, action, revision_id, slug from changes
), stood as (
    update post p
       set live_revision_id = c.revision_id, slug = c.slug, published_at = coalesce(p.published_at, made.published_at)
      from changes c, made
     where p.account_id = :account and p.id = c.post_id and c.action <> 'unpublished'
       and (p.live_revision_id, p.slug) is distinct from (c.revision_id, c.slug)
), led as (
    insert into redirect (account_id, path, post_id)
    select :account, c.path, c.post_id
      from jsonb_to_recordset(cast(:left as jsonb)) as c(path text, post_id uuid)
     where c.path <> all (cast(:taken as text[]))
    on conflict (account_id, path) do update set post_id = excluded.post_id, target = null
), no_more as (
    delete from redirect where account_id = :account and path = any (cast(:taken as text[]))
)
select published_at,
       case when exists (select from endpoint where account_id = :account and deleted_at is null)
            then (select slug from account where id = :account) end as heard_at  -- null: by nobody
from made
