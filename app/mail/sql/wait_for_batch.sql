-- Returns once no hand-over of this batch is under way; none begins until this transaction ends.
select pg_advisory_xact_lock(hashtextextended('mailbox ' || cast(:batch_id as uuid), 0))
