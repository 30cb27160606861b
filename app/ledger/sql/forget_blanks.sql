-- An open batch keeps the erased reader's id, so that its record can be asked, but neither address nor name.
update batch b set blanks = jsonb_set(b.blanks, array[cast(cast(:reader as uuid) as text)], '["", ""]')
from send s
where s.account_id = :account and s.reader_id = :reader and s.state in ('sending', 'unknown')
  and b.account_id = s.account_id and b.id = s.batch_id and b.blanks is not null
