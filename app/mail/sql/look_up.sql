-- The record of a batch, complete once call_until has passed: the caller's transaction holds the batch's lock,
-- so every hand-over that was under way has ended, and none can begin any more.
select mail.delivery_id, clock_timestamp() >= cast(:call_until as timestamptz) as whole
from (select) as always
left join mailbox.mail
    on mail.batch_id = cast(:batch_id as uuid) and mail.delivery_id = any(cast(:delivery_ids as uuid[]))
