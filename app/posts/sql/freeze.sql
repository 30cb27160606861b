-- A frozen version, numbered within its post; the draft is locked, so no other can take the number. No row when the
-- newest was frozen after the draft was saved: that one is the same.
with newest as (
    select number, created_at from revision
     where account_id = :account and post_id = :post
     order by number desc
     limit 1
)
insert into revision (account_id, id, post_id, number, title, slug, markdown, html, preview_html, excerpt, tags, access,
                      plan_id, kind, cover, cover_alt, seo_title, seo_description, minutes, kept_for, created_by)
select :account, cast(:id as uuid), :post, coalesce((select number from newest), 0) + 1, :title, :slug, :markdown, :html,
       :preview_html, :excerpt, cast(:tags as text[]), :access, cast(:plan_id as uuid), :kind, :cover, :cover_alt,
       :seo_title, :seo_description, cast(:minutes as integer), :kept_for, cast(:by as uuid)
 where not exists (select from newest where created_at >= cast(:saved_at as timestamptz))
returning number, created_at
