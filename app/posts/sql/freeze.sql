-- A frozen version, numbered within its post; the draft is locked, so no other can take the number.
insert into revision (account_id, id, post_id, number, title, slug, markdown, html, preview_html, excerpt, tags, access,
                      plan_id, kind, cover, cover_alt, seo_title, seo_description, minutes, kept_for, created_by)
values (:account, :id, :post, :number, :title, :slug, :markdown, :html, :preview_html, :excerpt, cast(:tags as text[]),
        :access, cast(:plan_id as uuid), :kind, :cover, :cover_alt, :seo_title, :seo_description, :minutes, :kept_for,
        cast(:by as uuid))
returning created_at
