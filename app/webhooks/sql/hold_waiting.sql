-- What waits for an endpoint that is not called is held, at most :most at once, with the reason.
update job set state = 'held', reason = :reason
where id = any (array(
    select id from job
    where account_id = :account and queue = 'webhooks' and share = :share and state = 'ready'
    order by id limit :most
    for update skip locked))
