-- The mailbox provider's own two tables: the network of development and testing. Idempotent; run as the owner
-- after the migrations, outside production only. They belong to no account: what is here has left the house.
create schema if not exists mailbox;

-- What was handed over, a row each time. No unique constraint on delivery_id: a faithful witness shows doubles.
create table if not exists mailbox.mail (
    id bigint generated always as identity primary key,
    delivery_id uuid not null,
    batch_id uuid,
    account_id bigint,
    kind text not null check (kind in ('code', 'confirm', 'broadcast', 'message')),
    to_address text collate "C" not null,
    sender text not null,
    subject text not null,
    text text not null,
    html text,
    headers jsonb not null,
    raw bytea not null,
    received_at timestamptz not null default clock_timestamp()
);
create index if not exists mail_received_at on mailbox.mail (received_at);
create index if not exists mail_to_address on mailbox.mail (to_address);
create index if not exists mail_delivery_id on mailbox.mail (delivery_id);

-- What is to go wrong. A fault fires at a matching call once `after` of them have passed, `times` times (null:
-- always); `delay` in seconds; `seen` and `fired` count the matching calls and those it fired at.
create table if not exists mailbox.fault (
    id bigint generated always as identity primary key,
    kind text not null,
    match_to text collate "C",
    after int not null default 0 check (after >= 0),
    times int check (times > 0),
    delay real not null default 0 check (delay >= 0),
    seen int not null default 0,
    fired int not null default 0
);

grant usage on schema mailbox to godwit_web, godwit_worker;
grant select, insert on mailbox.mail to godwit_worker;
grant select, update on mailbox.fault to godwit_worker;
grant select, delete on mailbox.mail to godwit_web;
grant select, insert, update, delete on mailbox.fault to godwit_web;
