-- Of an account one fan-out is enough: what was announced with those that wait and are visible now, is visible too.
update job set state = 'superseded', reason = 'another fan-out takes what it was made for', finished_at = godwit_now()
where id = any (array(
    select id from job
    where queue = 'webhooks' and share = :share and account_id = :account and lane = :lane
      and state = 'ready' and kind = 'fan_out'
    order by id
    for update skip locked))
