-- What waits for an endpoint that was deleted is never sent; at most :most at once, with the reason.
update job set state = 'discarded', reason = :reason, finished_at = godwit_now()
where id = any (array(
    select id from job
    where account_id = :account and queue = 'webhooks' and share = :share and state in ('ready', 'held')
    order by id limit :most
    for update skip locked))
