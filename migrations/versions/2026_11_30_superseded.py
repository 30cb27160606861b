"""Which newer one superseded a job is a number of its own, no longer read out of a sentence."""

from migrations.policies import run

revision = "2026_11_30_superseded"
down_revision = "2026_11_30_since"


def upgrade() -> None:
    run("""
alter table job add column superseded_by bigint
;;
comment on column job.superseded_by is
    'Of what was superseded in a lane of ranks: the newest rank of the lane at that moment. Written by job_moves alone.'
;;
update job set superseded_by = cast(substring(reason from 'superseded by the newer number ([0-9]+)') as bigint)
where state = 'superseded'
;;
create or replace function job_moves() returns trigger language plpgsql set search_path = pg_catalog, public as $$
begin
    if tg_op = 'INSERT' then
        if new.state <> 'ready' then
            raise exception 'a job begins ready, not %', new.state using errcode = 'check_violation';
        end if;
        return new;
    end if;
    if new.account_id <> old.account_id or new.kind <> old.kind or new.id <> old.id then
        raise exception 'job % keeps its id, account and kind', old.id using errcode = 'check_violation';
    end if;
    if new.lease < old.lease or (new.lease is null and old.lease is not null) then
        raise exception 'the lease of job % only grows', old.id using errcode = 'check_violation';
    end if;
    if new.state <> old.state then
        if (old.state, new.state) not in (
            ('ready', 'leased'), ('ready', 'held'), ('ready', 'superseded'), ('ready', 'discarded'),
            ('leased', 'done'), ('leased', 'ready'), ('leased', 'dead'), ('leased', 'held'),
            ('leased', 'superseded'), ('leased', 'discarded'),
            ('held', 'done'), ('held', 'dead'), ('held', 'ready'), ('held', 'superseded'), ('held', 'discarded'),
            ('dead', 'ready'), ('dead', 'superseded'), ('dead', 'discarded')
        ) then
            raise exception 'job % cannot go from % to %', old.id, old.state, new.state
                using errcode = 'check_violation';
        end if;
        if new.state = 'leased' and new.lease is not distinct from old.lease then
            raise exception 'job % needs a new lease', old.id using errcode = 'check_violation';
        end if;
        if new.state = 'superseded' then
            new.superseded_by := (select l.newest_rank from public.lane l
                where l.account_id = new.account_id and l.lane = new.lane and l.newest_rank > new.rank);
        end if;
        -- What lets someone in is forgotten as soon as the job is over, whoever ends it.
        if new.state in ('done', 'dead', 'superseded', 'discarded') and cardinality(new.secrets) > 0 then
            new.args := new.args - new.secrets;
        end if;
    end if;
    return new;
end
$$
;;
create or replace view delivery_state with (security_invoker) as
    select d.account_id, d.id, d.event_id, d.endpoint_id, p.url, d.redelivery, d.job_id, d.created_at,
           e.webhook_id, e.type, e.sequence, e.release, j.attempts, j.throttles,
           s.state, s.reason,
           case when s.state in ('pending', 'retrying') and j.state = 'ready' then j.run_at end as next_at,
           case when j.state = 'done' then j.finished_at end as delivered_at,
           case when s.state = 'superseded' then coalesce(j.superseded_by, l.newest_rank) end as superseded_by
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
""")
