"""Segments: a filter of readers with a name; searching a part of an address or a name."""

from migrations.policies import run, secure

revision = "2026_11_30_segments"
down_revision = "2026_11_30_sign_up"


def upgrade() -> None:
    run("""
create extension if not exists pg_trgm with schema public
;;
create table segment (
    account_id bigint not null references account,
    id uuid not null,
    name text not null check (length(name) between 1 and 120),
    filter jsonb not null,
    created_by_name text not null default '',
    created_at timestamptz not null default godwit_now(),
    changed_at timestamptz not null default godwit_now(),
    primary key (account_id, id),
    unique (account_id, name)
)
;;
create index consent_by_time on consent (account_id, at)
""")
    secure("segment", web="select, insert, update, delete", worker="select")
