"""Imports kept up: old ones can be undone or end, a file is forgotten in its time, undoing takes back no more than was done."""

from migrations.policies import run

revision = "2026_11_30_import_upkeep"
down_revision = "2026_11_30_askers"


def upgrade() -> None:
    run("""
alter table import drop constraint states_add_up
;;
alter table import add constraint states_add_up check (
    kind <> 'readers' or subscribed + unsubscribed + pending + blocked <= created + updated + unchanged)
;;
alter table import_change drop constraint import_change_act_check, drop constraint updated_has_before
;;
alter table import_change
    add constraint import_change_act_check check (act in ('created', 'updated', 'said')),
    add constraint updated_has_before check (act <> 'updated' or before is not null)
;;
comment on column import_change.act is
    'said: nothing was changed, but the file, too, said that they had left: undoing another import must not bring them back.'
;;
create function reader_digest(account bigint, reader uuid) returns text
language sql stable set search_path = pg_catalog, public as $$
    select md5(cast(jsonb_build_array(r.name, r.note, r.extra,
        (select coalesce(jsonb_agg(t.tag order by t.tag), '[]') from public.reader_tag t
         where t.account_id = r.account_id and t.reader_id = r.id)) as text))
    from public.reader r where r.account_id = $1 and r.id = $2
$$
;;
comment on function reader_digest(bigint, uuid) is
    'What a team can write of a reader, as one word: another one once anybody changed it.'
;;
create function has_signed_in(reader uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, public as $$
    select exists (select from public.reader_session s where s.reader_id = $1
        and s.account_id = nullif(current_setting('godwit.account_id', true), '')::bigint)
$$
;;
comment on function has_signed_in(uuid) is
    'Whether a reader of this account is signed in: a worker, who reads no sessions, must not undo them away.'
;;
revoke execute on function has_signed_in(uuid) from public
;;
grant execute on function has_signed_in(uuid) to godwit_web, godwit_worker
;;
create or replace function only_imported(account bigint, import uuid, reader uuid) returns boolean
language sql stable set search_path = pg_catalog, public as $$
    select not exists (
            select from public.mailing m
            join public.send s on s.account_id = m.account_id and s.mailing_id = m.id and s.reader_id = $3
            where m.account_id = $1 and s.state <> 'skipped')
        and not exists (select from public.reader r where r.account_id = $1 and r.id = $3 and r.confirmed_at is not null)
        and not exists (select from public.consent c
            where c.account_id = $1 and c.reader_id = $3 and c.how not like 'imported%')
        and not exists (select from public.confirmation c where c.account_id = $1 and c.reader_id = $3)
        and not public.has_signed_in($3)
        and not exists (select from public.entitlement e
            where e.account_id = $1 and e.reader_id = $3 and (e.source <> 'import' or e.ended_by_name <> ''))
        and not exists (select from public.import_change o
            where o.account_id = $1 and o.thing_id = $3 and o.import_id <> $2)
        and not exists (select from public.import_change c
            where c.account_id = $1 and c.import_id = $2 and c.thing_id = $3
              and c.before ->> 'is' <> public.reader_digest($1, $3))
$$
;;
create function prune_import_files(days integer) returns bigint
language sql security definer set search_path = pg_catalog, public as $$
    with old as materialized (
        select i.account_id, i.id from public.import_file f
        join public.import i on i.account_id = f.account_id and i.id = f.import_id
        where i.state not in ('queued', 'running')
          and coalesce(i.finished_at, i.created_at) < public.godwit_now() - make_interval(days => $1)
        limit 100 for update of i skip locked
    ), given_up as (
        update public.import i
        set state = 'failed', reason = 'Nobody went on with it within a week.', finished_at = public.godwit_now()
        from old o where i.account_id = o.account_id and i.id = o.id and i.state = 'waiting'
    ), gone as (
        delete from public.import_file f using old o where f.account_id = o.account_id and f.import_id = o.id
        returning f.import_id
    ) select count(*) from gone $$
;;
comment on function prune_import_files(integer) is
    'Files of imports that nobody went on with are forgotten, of every account: a worker sees one at a time.'
;;
revoke execute on function prune_import_files(integer) from public
;;
grant execute on function prune_import_files(integer) to godwit_worker
""")
