"""How an endpoint stands counts for the address, and the switching-on, that a call was made for."""

from migrations.policies import run

revision = "2026_11_30_standing"
down_revision = "2026_11_30_late_answers"


def upgrade() -> None:
    run("""
alter table endpoint
    add column era integer not null default 0,
    add column unheard integer not null default 0 check (unheard >= 0),
    add column unheard_since timestamptz
;;
update endpoint set unheard = failures, unheard_since = failing_since where failures > 0
;;
alter table endpoint add constraint unheard_since_a_try check ((unheard = 0) = (unheard_since is null))
;;
comment on column endpoint.era is
    'Raised with each other address and each switching-on: what a call of an earlier era met counts no more.'
;;
comment on column endpoint.unheard is 'Tries in a row that were not content, those that were put off too.'
;;
create function deliveries_in_hand(jobs bigint[], leases bigint[]) returns table (
    job_id bigint, account_id bigint, endpoint_id uuid, url text, era integer, state text, deleted boolean,
    troubled boolean, webhook_id text, type text, sequence bigint, body bytea, redelivery integer,
    throttles integer, age double precision, unix_time bigint, time_left double precision,
    secrets bytea[], secret_ids uuid[])
language sql stable security definer set search_path = pg_catalog, public rows 20 as $$
    select j.id, j.account_id, p.id, p.url, p.era, p.state, p.deleted_at is not null,
           p.failures > 0 or p.unheard > 0, e.webhook_id, e.type, e.sequence, e.body, d.redelivery,
           j.throttles, extract(epoch from public.godwit_now() - j.created_at)::double precision,
           extract(epoch from clock_timestamp())::bigint,
           extract(epoch from j.leased_until - clock_timestamp())::double precision, s.sealed, s.ids
    from unnest($1, $2) as held(job, lease)
    join public.job j on j.id = held.job and j.lease = held.lease and j.state = 'leased'
    join public.delivery d on d.account_id = j.account_id and d.id = (j.args ->> 'delivery_id')::uuid
    join public.event e on e.account_id = d.account_id and e.id = d.event_id
    join public.endpoint p on p.account_id = d.account_id and p.id = d.endpoint_id
    cross join lateral (
        select array_agg(k.sealed order by k.created_at desc) as sealed,
               array_agg(k.id order by k.created_at desc) as ids
        from public.endpoint_secret k
        where k.account_id = p.account_id and k.endpoint_id = p.id
          and (k.expires_at is null or k.expires_at > public.godwit_now())) as s $$
;;
comment on function deliveries_in_hand(bigint[], bigint[]) is
    'What the deliveries in hand say and where they go, of several accounts at once: by exact job and lease alone.'
;;
revoke execute on function deliveries_in_hand(bigint[], bigint[]) from public
;;
grant execute on function deliveries_in_hand(bigint[], bigint[]) to godwit_worker
""")
