-- The answer of the first press, kept for good; no row when the key was used before.
insert into publication (account_id, key, post_id, release, broadcast_id)
values (:account, :key, :post, :release, :broadcast)
on conflict do nothing
returning key
