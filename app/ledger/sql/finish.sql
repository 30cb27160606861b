-- A built mailing with nothing left to do is finished; asked after the commit and by the sweep, never in a settle.
update mailing m set state = 'finished', finished_at = godwit_now(), reason = null
where m.account_id = :account and m.id = :mailing and m.state = 'sending'
  and not exists (select from send s where s.account_id = m.account_id and s.mailing_id = m.id and s.state = 'planned')
  and not exists (select from send s where s.account_id = m.account_id and s.mailing_id = m.id
                  and s.state in ('sending', 'unknown'))
returning m.id
