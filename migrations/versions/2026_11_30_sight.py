"""What operators see of the whole: workers that are alive, what became of jobs, work that nobody does."""

from migrations.policies import run

revision = "2026_11_30_sight"
down_revision = "2026_11_30_endpoint_moves"


def upgrade() -> None:
    run("""
create table worker (
    name text collate "C" primary key check (length(name) between 1 and 300),
    queues text[] not null,
    version text not null,
    started_at timestamptz not null default clock_timestamp(),
    seen_at timestamptz not null default clock_timestamp(),
    stopped_at timestamptz
)
;;
comment on table worker is
    'Of the platform, no account''s: which worker processes say that they live, each for itself, beside its queues (E11).'
;;
grant select, insert, update, delete on worker to godwit_worker
;;
grant select on worker to godwit_web
;;
grant select on worker to godwit_operator
;;
create table outcome_count (
    queue text collate "C" not null,
    kind text collate "C" not null,
    outcome text collate "C" not null,
    n bigint not null check (n >= 0),
    minute timestamptz not null,
    this_minute bigint not null check (this_minute >= 0),
    last_minute bigint not null default 0 check (last_minute >= 0),
    primary key (kind, outcome, queue)
) with (fillfactor = 50)
;;
comment on table outcome_count is
    'Of the platform, no account''s: how many tries of a kind ended how, as workers counted them; and in the last full minute.'
;;
grant select, insert, update on outcome_count to godwit_worker
;;
create view operator_outcome as
    select queue, kind, outcome, n,
           case minute when date_trunc('minute', clock_timestamp()) then last_minute
                       when date_trunc('minute', clock_timestamp()) - interval '1 minute' then this_minute
                       else 0 end as last_minute
    from outcome_count
;;
create or replace view operator_queue as
    select queue, cast('ready' as text) collate "C" as state, count(*) as jobs, min(run_at) as oldest
    from job where state = 'ready' group by queue
    union all
    select queue, cast('leased' as text) collate "C", count(*), min(run_at)
    from job where state = 'leased' group by queue
    union all
    select queue, state, count(*), min(run_at)
    from job where state in ('held', 'dead') group by queue, state
;;
create view operator_share as
    select queue, share, count(*) as jobs, min(run_at) as oldest
    from job where state = 'ready' group by queue, share
;;
create view operator_lease as
    select queue, count(*) as jobs, count(*) filter (where leased_until <= clock_timestamp()) as expired
    from job where state = 'leased' group by queue
;;
create view operator_permit as
    select account_id, count(*) as permits, sum(n) as copies from (
        select account_id, cast(args ->> 'n' as bigint) as n from job
        where queue = 'sends' and kind = 'deliver_sends' and state = 'ready'
        union all
        select account_id, cast(args ->> 'n' as bigint) from job
        where queue = 'sends' and kind = 'deliver_sends' and state = 'leased'
    ) as permit group by account_id
;;
create view operator_batch as
    select account_id, mailing_id, id, provider, size, state, called_at, call_until, look_up_at, settled_at
    from batch
;;
create view operator_endpoint as
    select account_id, state, count(*) as endpoints from endpoint where deleted_at is null
    group by account_id, state
;;
create view operator_progress as
    select m.account_id, m.id, m.state, m.created_at, a.send_rate,
           coalesce(t.planned, 0) as planned, coalesce(t.sending, 0) as sending, coalesce(t.unknown, 0) as unknown
    from mailing m
    join account a on a.id = m.account_id
    left join lateral (
        select sum(n) filter (where state = 'planned') as planned,
               sum(n) filter (where state = 'sending') as sending,
               sum(n) filter (where state = 'unknown') as unknown
        from tally where tally.account_id = m.account_id and tally.mailing_id = m.id
    ) as t on true
    where m.state in ('building', 'sending', 'paused')
;;
grant select on operator_outcome, operator_share, operator_lease, operator_permit, operator_batch, operator_endpoint,
    operator_progress to godwit_operator
;;
create function overdue_work() returns table (queue text, seconds double precision)
language sql stable security definer set search_path = pg_catalog, public as $$
    with recursive queues (queue) as (
        (select j.queue from public.job j where j.state = 'ready' order by j.queue limit 1)
        union all
        select (select j.queue from public.job j where j.state = 'ready' and j.queue > q.queue
                order by j.queue limit 1)
        from queues q where q.queue is not null
    )
    select q.queue, max(extract(epoch from public.godwit_now() - t.run_at))::double precision
    from queues q cross join lateral public.turns(q.queue, '') t
    where q.queue is not null and t.run_at <= (select public.godwit_now())
      and not exists (
          select from public.job l where l.queue = q.queue and l.share = t.share and l.state = 'leased'
            and l.leased_until > clock_timestamp())
      and not (q.queue in ('messages', 'sends') and public.mail_stopped(t.account_id, q.queue = 'sends'))
      and not (q.queue = 'webhooks' and exists (
          select from public.endpoint e where e.account_id = t.account_id
            and e.id = cast(substring(t.share from '^endpoint:(.*)$') as uuid)
            and (e.failures > 0 or e.unheard > 0)))
    group by q.queue $$
;;
comment on function overdue_work() is
    'Health asks for all accounts at once, and learns queues and ages only: of shares nobody is at, and that nothing keeps back.'
;;
revoke execute on function overdue_work() from public
;;
grant execute on function overdue_work() to godwit_web, godwit_worker, godwit_operator
""")
