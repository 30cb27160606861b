"""Accounts whose events wait for a number that no job will give them are found by the worker."""

from migrations.policies import run

revision = "2026_12_01_unheard_events"
down_revision = "2026_12_01_team_stop"


def upgrade() -> None:
    run("""
create function accounts_unheard(older_seconds double precision) returns setof bigint
language sql stable security definer set search_path = pg_catalog, public rows 1 as $$
    select u.account_id from (
        select distinct e.account_id from public.event e
        where e.sequence is null and e.created_at < public.godwit_now() - make_interval(secs => $1)) u
    where not exists (select from public.job j
                      where j.queue = 'webhooks' and j.share = u.account_id::text and j.kind = 'fan_out'
                        and j.account_id = u.account_id and j.lane = 'events' and j.state = 'ready')
      and not exists (select from public.job j
                      where j.queue = 'webhooks' and j.share = u.account_id::text and j.kind = 'fan_out'
                        and j.account_id = u.account_id and j.state = 'leased')
    order by u.account_id $$
;;
comment on function accounts_unheard(double precision) is
    'Accounts with events older than so many seconds that have no number, and no fan_out that waits or runs.'
;;
revoke execute on function accounts_unheard(double precision) from public
;;
grant execute on function accounts_unheard(double precision) to godwit_worker
""")
