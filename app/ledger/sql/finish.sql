-- Those of these mailings that have nothing left to do are finished. The caller holds their locks; asked after the
-- commit and by the sweep, never in a settle.
update mailing m set state = 'finished', finished_at = godwit_now(), reason = null
from unnest(cast(:accounts as bigint[]), cast(:mailings as uuid[])) as locked (account_id, id)
where m.account_id = locked.account_id and m.id = locked.id and m.state = 'sending'
  and not exists (select from send s where s.account_id = m.account_id and s.mailing_id = m.id and s.state = 'planned')
  and not exists (select from send s where s.account_id = m.account_id and s.mailing_id = m.id
                  and s.state in ('sending', 'unknown'))
returning m.account_id, m.id
