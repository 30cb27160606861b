-- What the first press of this button answered.
select post_id, release, broadcast_id from publication where account_id = :account and key = :key
