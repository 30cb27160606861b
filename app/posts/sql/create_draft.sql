-- The first draft of a post that was made in this transaction.
insert into draft (account_id, post_id, title, slug, markdown, excerpt, tags, access, updated_by)
values (:account, :post, :title, :slug, :markdown, :excerpt, cast(:tags as text[]), :access, cast(:by as uuid))
