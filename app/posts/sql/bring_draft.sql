-- The draft of a post that came from elsewhere, saved when it was last changed there.
insert into draft (account_id, post_id, title, slug, markdown, excerpt, tags, access, plan_id, kind, cover, cover_alt,
                   seo_title, seo_description, updated_at)
values (:account, :post, :title, :slug, :markdown, :excerpt, cast(:tags as text[]), :access, cast(:plan_id as uuid),
        :kind, :cover, :cover_alt, :seo_title, :seo_description, :saved_at)
