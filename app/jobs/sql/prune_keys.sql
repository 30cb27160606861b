-- Removes the keys of slots (name@2026-11-30T03:00Z) after 90 days; keys of messages and deliveries stay for good.
delete from job_key
where key ~ '@\d{4}-\d\d-\d\dT\d\d:\d\dZ$' and created_at < (select godwit_now() - interval '90 days')
