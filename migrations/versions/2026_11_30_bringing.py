"""Imports whole: dry runs, columns mapped by hand, undo, posts; what became subscribed and what did not."""

from migrations.policies import WITHIN, run, secure

revision = "2026_11_30_bringing"
down_revision = "2026_11_30_writing"

#: Posts that an import brings, and what is published at a time to come. No worker reads a draft.
_POSTS = {
    "post": "select, insert, update",
    "draft": "insert",
    "revision": "insert",
    "release": "select, insert",
    "release_counter": "select, insert, update",
    "release_change": "select, insert",
}


def upgrade() -> None:
    run("""
alter table import drop constraint import_state_check
;;
alter table import drop constraint over_has_finish
;;
alter table import
    add column kind text collate "C" not null default 'readers' check (kind in ('readers', 'posts')),
    add column dry_run boolean not null default false,
    add column consent_stated boolean not null default false,
    add column mapping jsonb,
    add column subscribed integer not null default 0 check (subscribed >= 0),
    add column unsubscribed integer not null default 0 check (unsubscribed >= 0),
    add column pending integer not null default 0 check (pending >= 0),
    add column blocked integer not null default 0 check (blocked >= 0),
    add column undone_at timestamptz,
    add column undone_by_name text not null default '',
    add column undo_gone integer not null default 0 check (undo_gone >= 0),
    add column undo_restored integer not null default 0 check (undo_restored >= 0),
    add column undo_kept integer not null default 0 check (undo_kept >= 0),
    add constraint import_state_check
        check (state in ('waiting', 'queued', 'running', 'done', 'failed', 'undoing', 'undone')),
    add constraint over_has_finish
        check ((state in ('done', 'failed', 'undoing', 'undone')) = (finished_at is not null)),
    add constraint undone_has_time check ((state = 'undone') = (undone_at is not null)),
    add constraint dry_run_stays_dry check (not dry_run or state not in ('undoing', 'undone'))
;;
alter table import add constraint states_add_up check (
    kind <> 'readers' or subscribed + unsubscribed + pending + blocked = created + updated + unchanged) not valid
;;
comment on column import.subscribed is
    'What became of the readers that were taken: with unsubscribed, pending and blocked they add up. Old imports have none.'
;;
create table import_change (
    account_id bigint not null,
    import_id uuid not null,
    thing_id uuid not null,
    act text collate "C" not null check (act in ('created', 'updated')),
    before jsonb,
    primary key (account_id, import_id, thing_id),
    foreign key (account_id, import_id) references import (account_id, id) on delete cascade,
    constraint updated_has_before check ((act = 'updated') = (before is not null))
)
;;
create table import_loss (
    account_id bigint not null,
    import_id uuid not null,
    id bigint generated always as identity,
    thing text not null,
    what text not null,
    primary key (account_id, import_id, id),
    foreign key (account_id, import_id) references import (account_id, id) on delete cascade
)
;;
comment on table import_loss is 'What of a post did not survive the way from the other product, in words.'
""")
    run("""
create function only_imported(account bigint, import uuid, reader uuid) returns boolean
language sql stable set search_path = pg_catalog, public as $$
    select not exists (
            select from public.mailing m
            join public.send s on s.account_id = m.account_id and s.mailing_id = m.id and s.reader_id = $3
            where m.account_id = $1 and s.state <> 'skipped')
        and not exists (select from public.reader r where r.account_id = $1 and r.id = $3 and r.confirmed_at is not null)
        and not exists (select from public.consent c
            where c.account_id = $1 and c.reader_id = $3 and c.how not like 'imported%')
        and not exists (select from public.entitlement e
            where e.account_id = $1 and e.reader_id = $3 and e.source <> 'import')
        and not exists (select from public.import_change o
            where o.account_id = $1 and o.thing_id = $3 and o.import_id <> $2)
$$
;;
comment on function only_imported(bigint, uuid, uuid) is
    'Whether a reader is only what one import made of them: then undoing it takes them away again.'
;;
create index import_change_of on import_change (account_id, thing_id)
;;
create function forget_import_changes() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
    delete from public.import_change where account_id = old.account_id and thing_id = old.id;
    return null;
end
$$
;;
comment on function forget_import_changes() is
    'What an import wrote over holds names and notes: it goes with its reader, whoever erases them.'
;;
revoke execute on function forget_import_changes() from public
;;
create trigger forgets_import_changes after delete on reader
    for each row execute function forget_import_changes()
""")
    run("""
grant update on import to godwit_web
;;
grant delete on import_file to godwit_web
;;
grant delete on reader, subscription, entitlement to godwit_worker
""")
    secure("import_change", web="select", worker="select, insert, update, delete")
    secure("import_loss", web="select", worker="select, insert")
    for table, rights in _POSTS.items():
        within = WITHIN.format(column="account_id")
        run(f"""
create policy worker on {table} for all to godwit_worker using ({within}) with check ({within})
;;
grant {rights} on {table} to godwit_worker
""")
