-- An erased reader's copies keep their state and lose the address. Every one of them is written, so that this
-- waits for a claim under way, which is about to write the address.
update send set address = null where account_id = :account and reader_id = :reader
