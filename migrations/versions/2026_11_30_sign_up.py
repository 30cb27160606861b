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
    source text not null default '' check (length(source) <= 600),
    created_at timestamptz not null default godwit_now(),
    expires_at timestamptz not null,
    used_at timestamptz,
    primary key (account_id, token_hash),
    foreign key (account_id, reader_id) references reader (account_id, id) on delete cascade
)
;;
comment on column confirmation.source is 'Where they asked, as a sentence for the consent that the confirmation becomes.'
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
    reason text collate "C" not null check (reason in ('bounce', 'complaint', 'by_hand', 'erased')),
    by_kind text collate "C" not null default 'system' check (by_kind in ('system', 'owner', 'reader')),
    detail text not null default '',
    by_name text not null default '',
    at timestamptz not null default godwit_now(),
    primary key (account_id, id),
    constraint lifted_by_whom_it_may check (act = 'blocked'
        or (by_kind = 'reader' and reason <> 'by_hand')
        or (by_kind = 'owner' and reason in ('bounce', 'by_hand') and detail <> ''))
)
;;
create index suppression_change_of on suppression_change (account_id, address, id)
;;
comment on constraint lifted_by_whom_it_may on suppression_change is
    'A complaint is lifted by the reader alone; a bounce by them or by an owner who says why; a block by hand by an owner.'
;;
create function forget_messages(address text) returns bigint
language sql security definer set search_path = pg_catalog, public as $$
    with forgotten as (
        update public.job set
            args = args || '{"to": "", "subject": "", "text": "", "html": null}',
            state = case when state in ('ready', 'held') then 'discarded' else state end,
            reason = case when state in ('ready', 'held') then 'the reader was erased' else reason end,
            finished_at = case when state in ('ready', 'held') then public.godwit_now() else finished_at end
        where account_id = nullif(current_setting('godwit.account_id', true), '')::bigint
          and kind in ('send_message', 'send_reader_code') and args ->> 'to' = $1
        returning id
    ) select count(*) from forgotten $$
;;
comment on function forget_messages(text) is
    'Erasing a reader takes their address out of the automatic mails of the account: web may not change jobs otherwise.'
;;
revoke execute on function forget_messages(text) from public
;;
grant execute on function forget_messages(text) to godwit_web
;;
grant delete on reader to godwit_worker
;;
grant update, delete on suppression to godwit_worker
""")
    secure("confirmation", web=FULL, worker="select, delete")
    secure("reader_code", web=FULL)
    secure("reader_session", web=FULL)
    secure("sign_up_hour", web="select, insert, update", worker="select, delete")
    secure("suppression_change", web="select, insert, update", worker="select, insert, update")
