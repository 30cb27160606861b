-- Removes the keys of slots (name@2026-11-30T03:00Z) after 90 days. Slots are the platform's (account 0): keys of
-- messages and deliveries stay for good, also one that somebody wrote in this form.
delete from job_key
where account_id = 0 and key ~ '@\d{4}-\d\d-\d\dT\d\d:\d\dZ$' and created_at < (select godwit_now() - interval '90 days')
