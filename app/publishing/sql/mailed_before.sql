-- The newest email of this post to this newsletter.
select id, pressed_at, pressed_by_name from broadcast
 where account_id = :account and post_id = :post and newsletter_id = :newsletter
 order by pressed_at desc
 limit 1
