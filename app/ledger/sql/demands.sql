-- What each open mailing still wants, how much leave it holds that nobody has used yet (a permit in hand is used
-- once its batch is claimed), and how much waits because the provider put it off. What a switch stops wants nothing.
select m.account_id, m.id as mailing_id, a.send_rate,
       coalesce((select sum(t.n) from tally t
                 where t.account_id = m.account_id and t.mailing_id = m.id and t.state = 'planned'), 0) as planned,
       p.granted, p.waiting
from mailing m
join account a on a.id = m.account_id
cross join lateral (
    select coalesce(sum(w.n) filter (where not w.put_off), 0) as granted,
           coalesce(sum(w.n) filter (where w.put_off), 0) as waiting
    from job j
    cross join lateral (select (j.args ->> 'n')::integer as n,
                               j.state = 'ready' and j.run_at > godwit_now() as put_off) w
    where j.queue = 'sends' and j.kind = 'deliver_sends' and j.state in ('ready', 'leased')
      and j.share = m.account_id::text and j.args ->> 'mailing_id' = m.id::text
      and not (j.state = 'leased' and exists (select from batch b where b.job_id = j.id and b.lease = j.lease))
) p
where m.state in ('building', 'sending') and not mail_stopped(m.account_id, true)
order by m.account_id, m.id
