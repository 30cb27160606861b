-- A post with its first draft; no row when there is a post of that id.
with made as (
    insert into post (account_id, id) values (:account, :post)
    on conflict do nothing
    returning account_id, id, created_at
), written as (
    insert into draft (account_id, post_id, title, slug, markdown, excerpt, tags, access, plan_id, kind, cover,
                       cover_alt, seo_title, seo_description, updated_by)
    select account_id, id, :title, :slug, :markdown, :excerpt, cast(:tags as text[]), :access,
           cast(:plan_id as uuid), :kind, :cover, :cover_alt, :seo_title, :seo_description, cast(:by as uuid)
    from made
    returning version, updated_at
)
select version, updated_at, created_at as made_at from written, made
