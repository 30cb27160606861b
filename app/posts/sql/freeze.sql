-- A frozen version, numbered within its post; the draft is locked, so no other can take the number.
insert into revision (account_id, id, post_id, number, title, slug, markdown, html, excerpt, tags, access, minutes, created_by)
values (:account, :id, :post, :number, :title, :slug, :markdown, :html, :excerpt, cast(:tags as text[]), :access,
        :minutes, cast(:by as uuid))
returning created_at
