-- What would have to change for the site to show what it showed at a published version: by post, none if it does.
with newest as (
    select distinct on (post_id) post_id, revision_id, slug, action
      from release_change
     where account_id = :account and number <= :number
     order by post_id, number desc
), wanted as (
    select post_id, revision_id, slug from newest where action <> 'unpublished'
), there as (
    select id as post_id, live_revision_id as revision_id, slug
      from post
     where account_id = :account and live_revision_id is not null
), before as (
    select distinct on (post_id) post_id, revision_id
      from release_change
     where account_id = :account
     order by post_id, number desc
)
select coalesce(w.post_id, t.post_id) as post_id, coalesce(w.revision_id, t.revision_id) as revision_id, r.title, coalesce(w.slug, t.slug) as slug,
       t.slug as was,
       case when t.revision_id is null then 'published' when w.revision_id is null then 'unpublished' else 'updated' end
           as action,
       r.access, r.plan_id, b.access as access_before, b.plan_id as plan_before
  from wanted w
  full join there t on t.post_id = w.post_id
  join revision r on r.account_id = :account and r.id = coalesce(w.revision_id, t.revision_id)
  join before l on l.post_id = coalesce(w.post_id, t.post_id)
  join revision b on b.account_id = :account and b.id = l.revision_id
 where w.revision_id is distinct from t.revision_id or w.slug is distinct from t.slug
 order by r.title, 1
