-- Nothing is handed over without a committed claim naming its batch (L3), by the holder of the permit's
-- lease, while the mailing is open, and only to whom `mailable` allows it now (L5); the rest is skipped.
with permit as (
    select leased_until from job
    where id = :job and lease = :lease and state = 'leased' and leased_until > clock_timestamp()
    for share
), open as (
    select m.account_id, m.id, m.newsletter_id, p.leased_until
    from mailing m cross join permit p
    where m.account_id = :account and m.id = :mailing and m.state in ('building', 'sending')
    for share of m
), picked as materialized (
    select s.reader_id, s.address
    from send s join open o on o.account_id = s.account_id and o.id = s.mailing_id
    where s.account_id = :account and s.mailing_id = :mailing and s.state = 'planned'
    order by s.reader_id
    limit :wanted
    for update of s skip locked
), judged as materialized (
    select p.reader_id, coalesce(p.address, v.address) as address, v.name, v.reader_id is not null as mailable
    from picked p
    cross join open o
    left join mailable v on v.account_id = o.account_id and v.newsletter_id = o.newsletter_id
        and v.reader_id = p.reader_id
), made as (
    insert into batch (account_id, id, mailing_id, job_id, lease, provider, size, blanks, call_until)
    select o.account_id, :batch, o.id, :job, :lease, :provider, count(*),
           jsonb_object_agg(j.reader_id, jsonb_build_array(j.address, j.name)),
           least(clock_timestamp() + make_interval(secs => :timeout), o.leased_until - interval '3 seconds')
    from judged j cross join open o
    where j.mailable
    group by o.account_id, o.id, o.leased_until
    returning id, blanks, called_at, call_until
), moved as (
    update send s set
        state = case when j.mailable then 'sending' else 'skipped' end,
        batch_id = case when j.mailable then cast(:batch as uuid) end,
        address = j.address,
        reason = case when not j.mailable then unmailable_reason(s.account_id, s.reader_id, o.newsletter_id) end,
        settled_at = case when not j.mailable then godwit_now() end
    from judged j cross join open o
    where s.account_id = :account and s.mailing_id = :mailing and s.reader_id = j.reader_id and s.state = 'planned'
    returning s.state
), changed as (
    select state, count(*) as n from moved group by state
    union all
    select 'planned', -count(*) from moved having count(*) > 0
), tallied as (
    insert into tally as t (account_id, mailing_id, shard, state, n)
    select :account, :mailing, :shard, state, n from changed
    order by state
    on conflict (account_id, mailing_id, shard, state) do update set n = t.n + excluded.n
)
select (select count(*) from moved) as touched, m.id as batch_id, m.blanks, m.called_at, m.call_until,
       extract(epoch from m.call_until - clock_timestamp())::double precision as seconds_left
from (select 1) as one left join made m on true
