-- What the first press of this button answered, or else that its post waits for its time; no row for neither.
select p.post_id, p.release, p.broadcast_id, s.wall, s.zone
from (select cast(:key as text) as key, cast(:post as uuid) as post) asked
left join publication p on p.account_id = :account and p.key = asked.key
left join scheduled s on s.account_id = :account and s.post_id = asked.post and s.state = 'waiting'
where p.key is not null or s.id is not null
