-- Built mailings with nothing left to do are finished, the one named or (null) any of all accounts; asked after
-- the commit and by the sweep, never in a settle.
update mailing m set state = 'finished', finished_at = godwit_now(), reason = null
where m.state = 'sending'
  and (cast(:mailing as uuid) is null or (m.account_id = cast(:account as bigint) and m.id = :mailing))
  and not exists (select from send s where s.account_id = m.account_id and s.mailing_id = m.id and s.state = 'planned')
  and not exists (select from send s where s.account_id = m.account_id and s.mailing_id = m.id
                  and s.state in ('sending', 'unknown'))
returning m.account_id, m.id
