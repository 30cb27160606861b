-- The last time this post was frozen.
select id, post_id, number, title, slug, markdown, html, excerpt, tags, access, minutes, created_at
  from revision
 where account_id = :account and post_id = :post
 order by number desc
 limit 1
