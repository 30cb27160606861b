-- An erased reader's copies keep their state and lose the address.
update send set address = null where account_id = :account and reader_id = :reader and address is not null
