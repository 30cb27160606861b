-- Built mailings with nothing left to do, the one named or (null) any of all accounts, locked: nobody plans a
-- copy of one from here on. What was planned before we had the lock, this statement may not have seen.
select m.account_id, m.id from mailing m
where m.state = 'sending'
  and (cast(:mailing as uuid) is null or (m.account_id = cast(:account as bigint) and m.id = :mailing))
  and not exists (select from send s where s.account_id = m.account_id and s.mailing_id = m.id and s.state = 'planned')
  and not exists (select from send s where s.account_id = m.account_id and s.mailing_id = m.id
                  and s.state in ('sending', 'unknown'))
order by m.account_id, m.id
for update of m
