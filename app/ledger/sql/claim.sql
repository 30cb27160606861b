-- Nothing is handed over without a committed claim naming its batch (L3), by the holder of the permit's
-- lease, while the mailing is open, no switch stops mail and the provider does not refuse us, and only to whom `mailable` allows it now (L5); the
-- rest is skipped. What a switch holds stays planned (L10).
with permit as (
    select leased_until from job
    where id = :job and lease = :lease and state = 'leased' and leased_until > clock_timestamp()
    for share
), open as (
    select m.account_id, m.id, m.newsletter_id, m.call_size, m.split_at, p.leased_until
    from mailing m cross join permit p
    where m.account_id = :account and m.id = :mailing and m.state in ('building', 'sending')
      and not mail_stopped(:account, true)
      and not exists (select from provider_refusal where provider = :provider and let_in_at is null)
    for share of m
), wanted as materialized (
    select case when halving then 0 else :wanted end as n, case when halving then least(:wanted, call_size) else 0 end as few
    from (select call_size, coalesce(split_at > clock_timestamp() - interval '1 minute', false)
                 and call_size is not null as halving from open) as o
), suspects as materialized (
    -- While a bad mail is sought, in line: so that it stays among the first until it is alone.
    select s.reader_id, s.address, s.variant
    from send s join open o on o.account_id = s.account_id and o.id = s.mailing_id
    where s.account_id = :account and s.mailing_id = :mailing and s.state = 'planned'
    order by s.reader_id
    limit (select few from wanted)
    for update of s skip locked
), fresh as materialized (
    select s.reader_id, s.address, s.variant
    from send s join open o on o.account_id = s.account_id and o.id = s.mailing_id
    where s.account_id = :account and s.mailing_id = :mailing and s.state = 'planned' and s.address is null
    order by s.reader_id
    limit (select n from wanted)
    for update of s skip locked
), again as materialized (
    -- Those handed back come after the others and in no order: whom a server puts off each time must not stand
    -- first in line for ever (E10).
    select s.reader_id, s.address, s.variant
    from send s join open o on o.account_id = s.account_id and o.id = s.mailing_id
    where s.account_id = :account and s.mailing_id = :mailing and s.state = 'planned' and s.address is not null
    order by random()
    limit (select n from wanted) - (select count(*) from fresh)
    for update of s skip locked
), picked as materialized (
    select reader_id, address, variant from suspects
    union all
    select reader_id, address, variant from fresh
    union all
    select reader_id, address, variant from again
), judged as materialized (
    -- One look-up a reader: a join would read the whole audience when the planner knows little of it yet.
    select p.reader_id, p.variant, coalesce(p.address, v.address) as address, v.name, v.reader_id is not null as mailable
    from picked p
    cross join open o
    left join lateral (
        select m.reader_id, m.address, m.name from mailable m
        where m.account_id = o.account_id and m.newsletter_id = o.newsletter_id and m.reader_id = p.reader_id
        limit 1
    ) v on true
), made as (
    insert into batch (account_id, id, mailing_id, job_id, lease, provider, size, blanks, call_until)
    select o.account_id, :batch, o.id, :job, :lease, :provider, count(*),
           jsonb_object_agg(j.reader_id, jsonb_build_array(j.address, j.name, j.variant)),
           least(clock_timestamp() + make_interval(secs => :timeout), o.leased_until - interval '3 seconds')
    from judged j cross join open o
    where j.mailable
    group by o.account_id, o.id, o.leased_until
    returning id, blanks, called_at, call_until
), handed as (
    update send s set state = 'sending', batch_id = m.id, reason = null, address = m.blanks -> s.reader_id::text ->> 0
    from made m
    where s.account_id = :account and s.mailing_id = :mailing and s.state = 'planned'
      and s.reader_id = any (array(select reader_id from judged where mailable))
    returning s.reader_id
), skipped as (
    update send s set
        state = 'skipped',
        reason = unmailable_reason(s.account_id, s.reader_id, o.newsletter_id),
        settled_at = godwit_now()
    from open o
    where s.account_id = :account and s.mailing_id = :mailing and s.state = 'planned'
      and s.reader_id = any (array(select reader_id from judged where not mailable))
    returning s.reader_id
), moved as (
    select 'sending' as state from handed
    union all
    select 'skipped' from skipped
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
       extract(epoch from m.call_until - clock_timestamp())::double precision as seconds_left,
       (select extract(epoch from leased_until - clock_timestamp())::double precision from permit) as seconds_held
from (select 1) as one left join made m on true
