"""Broadcasts, the one press that makes them, and imports."""

from migrations.policies import run, secure

revision = "2026_11_30_publishing"
down_revision = "2026_11_30_ledger"


def upgrade() -> None:
    run("""
create table broadcast (
    account_id bigint not null,
    id uuid not null,
    post_id uuid not null,
    revision_id uuid not null,
    release integer,
    newsletter_id uuid not null,
    mailing_id uuid not null,
    subject text not null,
    preheader text not null default '',
    again boolean not null default false,
    left_out jsonb not null default '{}',
    pressed_by uuid,
    pressed_by_name text not null,
    pressed_at timestamptz not null default godwit_now(),
    primary key (account_id, id),
    unique (account_id, mailing_id),
    foreign key (account_id, post_id) references post (account_id, id),
    foreign key (account_id, revision_id) references revision (account_id, id),
    foreign key (account_id, release) references release (account_id, number),
    foreign key (account_id, newsletter_id) references newsletter (account_id, id),
    foreign key (account_id, mailing_id) references mailing (account_id, id)
)
;;
create unique index broadcast_once on broadcast (account_id, post_id, newsletter_id) where not again
;;
create index broadcast_newest on broadcast (account_id, pressed_at desc, id desc)
;;
create table publication (
    account_id bigint not null,
    key text collate "C" not null check (length(key) between 1 and 255),
    post_id uuid not null,
    release integer,
    broadcast_id uuid,
    pressed_at timestamptz not null default godwit_now(),
    primary key (account_id, key),
    foreign key (account_id, post_id) references post (account_id, id),
    foreign key (account_id, release) references release (account_id, number),
    foreign key (account_id, broadcast_id) references broadcast (account_id, id)
)
;;
create table import (
    account_id bigint not null references account,
    id uuid not null,
    newsletter_id uuid not null,
    format text not null,
    file_name text not null default '',
    size bigint not null,
    state text collate "C" not null default 'queued' check (state in ('queued', 'running', 'done', 'failed')),
    reason text,
    total integer,
    rows integer not null default 0,
    created integer not null default 0 check (created >= 0),
    updated integer not null default 0 check (updated >= 0),
    unchanged integer not null default 0 check (unchanged >= 0),
    skipped integer not null default 0 check (skipped >= 0),
    failed integer not null default 0 check (failed >= 0),
    made_by_name text not null,
    created_at timestamptz not null default godwit_now(),
    finished_at timestamptz,
    primary key (account_id, id),
    foreign key (account_id, newsletter_id) references newsletter (account_id, id),
    constraint counts_add_up check (created + updated + unchanged + skipped + failed = rows),
    constraint over_has_finish check ((state in ('done', 'failed')) = (finished_at is not null)),
    constraint failed_has_reason check (state <> 'failed' or reason is not null)
)
;;
create index import_newest on import (account_id, created_at desc, id desc)
;;
create table import_file (
    account_id bigint not null,
    import_id uuid not null,
    content bytea not null,
    primary key (account_id, import_id),
    foreign key (account_id, import_id) references import (account_id, id) on delete cascade
)
;;
create table import_problem (
    account_id bigint not null,
    import_id uuid not null,
    row integer not null,
    line integer not null,
    outcome text not null check (outcome in ('skipped', 'failed')),
    reason text not null,
    primary key (account_id, import_id, row),
    foreign key (account_id, import_id) references import (account_id, id) on delete cascade
)
""")
    secure("broadcast", web="select, insert, update", worker="select")
    secure("publication", web="select, insert")
    secure("import", web="select, insert", worker="select, update")
    secure("import_file", web="select, insert", worker="select, delete")
    secure("import_problem", web="select", worker="select, insert")
