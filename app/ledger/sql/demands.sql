-- What each open mailing still wants, and how much leave it holds that nobody has used yet: a permit is
-- used once its batch is claimed. What a switch stops wants nothing.
select m.account_id, m.id as mailing_id, a.send_rate,
       coalesce((select sum(t.n) from tally t
                 where t.account_id = m.account_id and t.mailing_id = m.id and t.state = 'planned'), 0) as planned,
       coalesce((select sum((j.args ->> 'n')::integer) from job j
                 where j.queue = 'sends' and j.kind = 'deliver_sends' and j.state in ('ready', 'leased')
                   and j.share = m.account_id::text and j.args ->> 'mailing_id' = m.id::text
                   and not exists (select from batch b where b.job_id = j.id and b.lease = j.lease)), 0) as granted
from mailing m join account a on a.id = m.account_id
where m.state in ('building', 'sending') and not mail_stopped(m.account_id, true)
order by m.account_id, m.id
