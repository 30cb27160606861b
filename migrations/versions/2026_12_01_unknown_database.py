"""A database that nobody has looked at since it, or its server, came back hands no mail out meanwhile."""

from migrations.policies import run

revision = "2026_12_01_unknown_database"
down_revision = "2026_12_01_upkeep_of_tries"


def upgrade() -> None:
    run("""
alter table installation add column server_started timestamptz
;;
comment on column installation.server_started is 'When the server began that was looked at last.'
;;
create function database_known() returns boolean
language sql stable security definer set search_path = pg_catalog, public as $$
    select exists (select from public.installation i
                   where i.written_by = i.xmin::text::bigint and i.server_started = pg_postmaster_start_time()) $$
;;
comment on function database_known() is
    'Whether a worker has looked (look_back) since this database was loaded, or its server began. Without a row it is being loaded.'
;;
revoke execute on function database_known() from public
;;
grant execute on function database_known() to godwit_web, godwit_worker, godwit_operator
;;
create or replace function mail_stopped(account bigint, bulk boolean) returns boolean
language sql stable set search_path = pg_catalog, public as $$
    select exists (select from public.switch s
                   where s.account_id in (0, $1) and s.holding and (s.held_scope = 'all' or $2))
           or not public.database_known() $$
;;
comment on function mail_stopped(bigint, boolean) is
    'Whether mail of an account may not go now: bulk is what the ledger sends. Asked by every claim, as the worker.'
;;
create or replace function look_back(seen_id uuid, seen bigint) returns table (id uuid, look bigint, restored boolean)
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
    me bigint := (pg_current_xact_id()::text::numeric % 4294967296)::bigint;
    here text := left(pg_walfile_name(pg_current_wal_lsn()), 8);
    stands record;
    other boolean;
begin
    select i.id, i.look, i.timeline, i.written_by = i.xmin::text::bigint as own into stands
    from public.installation i for update;
    if not found then  -- a row of ours would be in the way of the one that is being loaded
        raise exception 'this database is being loaded from a backup, or godwit migrate is still to be run'
            using errcode = 'object_not_in_prerequisite_state';
    end if;
    other := not stands.own or stands.timeline <> here
        or coalesce(seen_id = stands.id and seen > stands.look, false);
    if other then
        perform public.set_switch(0, true, 'all', 'This database was restored from a backup, or another server'
            ' took its place. Mail that it still plans may have gone out since. Look at what readers got,'
            ' then start mail and let go what waits, or cancel it.', 'Godwit');
    end if;
    return query update public.installation i
        set look = greatest(i.look, seen) + 1, written_by = me, timeline = here,
            server_started = pg_postmaster_start_time()
        returning i.id, i.look, other;
end $$
""")
