-- Forgets whom nobody confirmed in :days days and whom no open link can confirm any more; imported readers stay.
delete from reader where id = any (array(
    select r.id from reader r
    where r.source in ('form', 'api') and r.confirmed_at is null
      and r.created_at <= godwit_now() - make_interval(days => :days)
      and exists (select from consent c where c.account_id = r.account_id and c.reader_id = r.id and c.act = 'asked')
      and not exists (select from subscription s where s.account_id = r.account_id and s.reader_id = r.id
                      and s.state <> 'pending')
      and not exists (select from confirmation c where c.account_id = r.account_id and c.reader_id = r.id
                      and c.used_at is null and c.expires_at > godwit_now())
    order by r.id limit :most
    for update skip locked))
