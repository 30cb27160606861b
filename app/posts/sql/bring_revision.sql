-- The first version of a post that came from elsewhere; read by nobody until it is live.
insert into revision (account_id, id, post_id, number, title, slug, markdown, html, preview_html, excerpt, tags, access,
                      plan_id, kind, cover, cover_alt, seo_title, seo_description, minutes, kept_for, created_at)
values (:account, :id, :post, 1, :title, :slug, :markdown, :html, :preview_html, :excerpt, cast(:tags as text[]),
        :access, cast(:plan_id as uuid), :kind, :cover, :cover_alt, :seo_title, :seo_description, :minutes, 'import',
        :saved_at)
