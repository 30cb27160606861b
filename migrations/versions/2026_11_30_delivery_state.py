"""The state of a delivery is said in one place, for one as for many; a job goes with the delivery it was for."""

from migrations.policies import run

revision = "2026_11_30_delivery_state"
down_revision = "2026_11_30_many_deliveries"


def upgrade() -> None:
    run("""
create function delivery_state_of(job text, attempts integer, throttles integer, older boolean, endpoint text,
                                  deleted boolean) returns text
language sql immutable parallel safe as $$
    select case
        when job = 'done' then 'delivered'
        when job in ('dead', 'discarded') or (job in ('ready', 'held') and deleted) then 'failed'
        when job = 'superseded' or (job in ('ready', 'held') and older) then 'superseded'
        when job = 'held' or (job = 'ready' and endpoint <> 'active') then 'held'
        when attempts - case when job = 'leased' then 1 else 0 end > 0 or throttles > 0 then 'retrying'
        else 'pending' end $$
;;
comment on function delivery_state_of(text, integer, integer, boolean, text, boolean) is
    'A job''s state in the words of webhooks. older: its rank is not the newest of its lane.'
;;
create or replace view delivery_state with (security_invoker) as
    select d.account_id, d.id, d.event_id, d.endpoint_id, p.url, d.redelivery, d.job_id, d.created_at,
           e.webhook_id, e.type, e.sequence, e.release, j.attempts, j.throttles,
           s.state, s.reason,
           case when s.state in ('pending', 'retrying') and j.state = 'ready' then j.run_at end as next_at,
           case when j.state = 'done' then j.finished_at end as delivered_at,
           case when s.state = 'superseded' then coalesce(
               cast(substring(j.reason from 'superseded by the newer number ([0-9]+)') as bigint),
               l.newest_rank) end as superseded_by
    from delivery d
    join event e on e.account_id = d.account_id and e.id = d.event_id
    join endpoint p on p.account_id = d.account_id and p.id = d.endpoint_id
    join job j on j.id = d.job_id and j.account_id = d.account_id
    left join lane l on l.account_id = j.account_id and l.lane = j.lane
    cross join lateral (select j.state in ('ready', 'held') as waits) as w
    cross join lateral (
        select delivery_state_of(j.state, j.attempts, j.throttles, coalesce(j.rank < l.newest_rank, false),
                                 p.state, p.deleted_at is not null) collate "default" as state,
        case
            when w.waits and p.deleted_at is not null then 'the webhook was deleted'
            when w.waits and j.rank < l.newest_rank then 'superseded by the newer number ' || l.newest_rank
            when w.waits and p.state = 'disabled' then 'the webhook is switched off: ' || p.reason
            when w.waits and p.state = 'paused' then 'the webhook is paused'
            else j.reason end as reason) as s
;;
create or replace function prune_webhooks(days integer, most integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
    pruned bigint;
begin
    delete from public.endpoint_secret where expires_at < public.godwit_now() - make_interval(days => $1);
    with old as (
        select e.account_id, e.id from public.event e
        where e.created_at < public.godwit_now() - make_interval(days => $1)
          and not exists (select from public.delivery d join public.job j on j.id = d.job_id
                          where d.account_id = e.account_id and d.event_id = e.id and j.state = 'leased')
        order by e.created_at limit $2
    ), over as (
        delete from public.job j
        using public.delivery d join old o on o.account_id = d.account_id and o.id = d.event_id
        where j.id = d.job_id and j.state in ('done', 'dead', 'superseded', 'discarded')
    ), ended as (  -- and no endpoint counts it any more
        update public.job j set state = 'discarded', reason = 'its event is older than it is kept',
            finished_at = public.godwit_now(), share = cast(j.account_id as text)
        from public.delivery d join old o on o.account_id = d.account_id and o.id = d.event_id
        where j.id = d.job_id and j.state in ('ready', 'held')
    ), gone as (
        delete from public.event e using old o where e.account_id = o.account_id and e.id = o.id
        returning e.id
    ) select count(*) into pruned from gone;
    delete from public.endpoint p
    where p.deleted_at < public.godwit_now() - make_interval(days => $1)
      and not exists (select from public.delivery d where d.account_id = p.account_id and d.endpoint_id = p.id);
    return pruned;
end $$
;;
delete from job j where j.queue = 'webhooks' and j.kind = 'deliver_webhook' and j.finished_at is not null
    and not exists (select from delivery d where d.account_id = j.account_id
                    and d.id = cast(j.args ->> 'delivery_id' as uuid))
""")
