-- The last test mail that was asked for of a post.
select version, address, variant, sent_at, sent_by_name
  from test_mail
 where account_id = :account and post_id = :post
 order by sent_at desc
 limit 1
