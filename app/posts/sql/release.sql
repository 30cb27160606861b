-- One release with its one change, and the post live with that revision: all of it or nothing.
with made as (
    insert into release (account_id, number, published_by)
    values (:account, :number, cast(:by as uuid))
    returning published_at, published_by
), before as (
    select case when live_revision_id is null then 'published' else 'updated' end as action
      from post where account_id = :account and id = :post
), changed as (
    insert into release_change (account_id, number, post_id, action, revision_id, slug)
    select :account, :number, :post, action, :revision, :slug from before
), lived as (
    update post
       set live_revision_id = :revision, slug = :slug, published_at = coalesce(post.published_at, made.published_at)
      from made
     where post.account_id = :account and post.id = :post
)
select before.action, made.published_at, coalesce(c.name, '') as published_by
  from before, made
  left join creator c on c.id = made.published_by
