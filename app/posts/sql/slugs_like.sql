-- The slugs of other live posts that are this one or this one with a number.
select slug from post
 where account_id = :account and id <> :post and starts_with(slug, cast(:slug as text))
