"""A database that was restored from a backup holds all mail by itself, until somebody decides."""

from migrations.policies import run

revision = "2026_11_30_restored"
down_revision = "2026_11_30_sight"


def upgrade() -> None:
    run("""
create table installation (
    one boolean primary key default true check (one),
    id uuid not null default gen_random_uuid(),
    -- Grows with each look; who looks keeps the last one outside the database as well.
    look bigint not null default 1 check (look > 0),
    -- The number of the transaction that wrote this row. It is the row's xmin too: but not of a row that was
    -- loaded from a dump, which another transaction wrote.
    written_by bigint not null,
    -- Of the server's log: another one after a recovery to a point in time, and when a standby took over.
    timeline text not null
) with (fillfactor = 50)
;;
comment on table installation is 'Of the platform, no account''s: by what a database knows that it is not the one it was.'
;;
create function look_back(seen_id uuid, seen bigint) returns table (id uuid, look bigint, restored boolean)
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
    me bigint := (pg_current_xact_id()::text::numeric % 4294967296)::bigint;
    here text := left(pg_walfile_name(pg_current_wal_lsn()), 8);
    stands record;
    other boolean;
begin
    insert into public.installation (written_by, timeline) values (me, here) on conflict do nothing;
    select i.id, i.look, i.timeline, i.written_by = i.xmin::text::bigint as own into strict stands
    from public.installation i for update;
    other := not stands.own or stands.timeline <> here
        or coalesce(seen_id = stands.id and seen > stands.look, false);
    if other then
        perform public.set_switch(0, true, 'all', 'This database was restored from a backup, or another server'
            ' took its place. Mail that it still plans may have gone out since. Look at what readers got,'
            ' then start mail and let go what waits, or cancel it.', 'Godwit');
    end if;
    return query update public.installation i
        set look = greatest(i.look, seen) + 1, written_by = me, timeline = here
        returning i.id, i.look, other;
end $$
;;
comment on function look_back(uuid, bigint) is
    'A worker asks, before its first claim and then now and again, whether the database is the one it was: else all mail is stopped.'
;;
revoke execute on function look_back(uuid, bigint) from public
;;
grant execute on function look_back(uuid, bigint) to godwit_worker
""")
