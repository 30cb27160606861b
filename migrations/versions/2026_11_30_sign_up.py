"""Readers come by themselves: confirmations, codes, sessions, welcome mail, floods; what was blocked and lifted."""

from migrations.policies import run, secure

revision = "2026_11_30_sign_up"
down_revision = "2026_11_30_plans"

FULL = "select, insert, update, delete"


def upgrade() -> None:
    run("""
alter table newsletter
    add column description text not null default '' check (length(description) <= 500),
    add column welcome boolean not null default false,
    add column welcome_subject text not null default '' check (length(welcome_subject) <= 255),
    add column welcome_markdown text not null default '' check (length(welcome_markdown) <= 20000),
    add column archived_at timestamptz
;;
alter table reader
    add column confirmed_at timestamptz,
    add column form text not null default '' check (length(form) <= 100)
;;
comment on column reader.form is 'The ?source= of the form they signed up by; empty: none was named.'
;;
alter table consent drop constraint consent_act_check
;;
alter table consent
    add constraint consent_act_check check (act in ('asked', 'subscribed', 'confirmed', 'unsubscribed'))
;;
create table confirmation (
    account_id bigint not null,
    token_hash bytea not null,
    reader_id uuid not null,
    newsletter_ids uuid[] not null,
    created_at timestamptz not null default godwit_now(),
    expires_at timestamptz not null,
    used_at timestamptz,
    primary key (account_id, token_hash),
    foreign key (account_id, reader_id) references reader (account_id, id) on delete cascade
)
;;
create index confirmation_of_reader on confirmation (account_id, reader_id)
;;
create table reader_code (
    account_id bigint not null,
    id uuid not null,
    reader_id uuid not null,
    code_hash bytea not null,
    token_hash bytea not null,
    created_at timestamptz not null default godwit_now(),
    expires_at timestamptz not null,
    tries integer not null default 0 check (tries between 0 and 5),
    spent_at timestamptz,
    primary key (account_id, id),
    unique (account_id, token_hash),
    foreign key (account_id, reader_id) references reader (account_id, id) on delete cascade
)
;;
create index reader_code_newest on reader_code (account_id, reader_id, created_at desc)
;;
create table reader_session (
    account_id bigint not null,
    token_hash bytea not null,
    reader_id uuid not null,
    created_at timestamptz not null default godwit_now(),
    seen_at timestamptz not null default godwit_now(),
    expires_at timestamptz not null,
    primary key (account_id, token_hash),
    foreign key (account_id, reader_id) references reader (account_id, id) on delete cascade
)
;;
create index reader_session_of on reader_session (account_id, reader_id)
;;
create table sign_up_hour (
    account_id bigint not null references account,
    hour timestamptz not null,
    form text not null default '',
    asked integer not null default 0 check (asked >= 0),
    slowed integer not null default 0 check (slowed >= 0),
    primary key (account_id, hour, form)
)
;;
create table suppression_change (
    account_id bigint not null references account,
    id bigint generated always as identity,
    address text collate "C" not null,
    act text collate "C" not null check (act in ('blocked', 'lifted')),
    reason text collate "C" not null,
    detail text not null default '',
    by_name text not null default '',
    at timestamptz not null default godwit_now(),
    primary key (account_id, id)
)
;;
create index suppression_change_of on suppression_change (account_id, address, id)
""")
    secure("confirmation", web=FULL, worker="select, delete")
    secure("reader_code", web=FULL)
    secure("reader_session", web=FULL)
    secure("sign_up_hour", web="select, insert, update", worker="select, delete")
    secure("suppression_change", web="select, insert, delete", worker="select, insert")
