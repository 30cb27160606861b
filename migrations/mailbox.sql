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

-- When an account (0: every account) was begun anew: a call begun before brings no mail any more.
create table if not exists mailbox.begun_anew (
    account_id bigint primary key,
    at timestamptz not null
);

-- Faults of other targets than the provider: a worker is killed, frozen or made to raise `at` a failpoint, in one
-- book (`match_in`) or at one kind of job; `pid` is the process that was struck last.
alter table mailbox.fault
    add column if not exists target text not null default 'provider',
    add column if not exists at text collate "C",
    add column if not exists match_in text collate "C",
    add column if not exists match_job text collate "C",
    add column if not exists pid int;

-- Receivers of webhooks that testers asked for. One listens at `port` of the web process that made it, and answers its
-- calls with `answers` in order (`given` were), the last of them for ever, each after `delay` seconds.
create table if not exists mailbox.receiver (
    id text collate "C" primary key,
    account_id bigint not null,
    port int not null check (port between 1 and 65535),
    answers int[] not null check (cardinality(answers) > 0),
    delay real not null default 0 check (delay >= 0),
    given int not null default 0,
    made_at timestamptz not null default clock_timestamp()
);

-- What arrived at them. `verified`: signed by a live secret of the endpoint with that address, null without one;
-- `answered`: the status, null when nothing whole was said; `fault`: the kind of the one that fired.
create table if not exists mailbox.request (
    id bigint generated always as identity primary key,
    receiver_id text collate "C" not null references mailbox.receiver on delete cascade,
    at timestamptz not null default public.godwit_now(),
    headers jsonb not null,
    body bytea not null,
    verified boolean,
    answered int,
    fault text
);
create index if not exists request_receiver_id on mailbox.request (receiver_id, id);

-- A fault of target `endpoint` strikes at the receiver `match_endpoint`, at every one without.
alter table mailbox.fault add column if not exists match_endpoint text collate "C";

-- Whose tests ordered it, who take it back with what is theirs; null: nobody was named.
alter table mailbox.fault add column if not exists account_id bigint;

grant usage on schema mailbox to godwit_web, godwit_worker;
grant select, insert on mailbox.mail to godwit_worker;
grant select, update on mailbox.fault to godwit_worker;
grant select on mailbox.begun_anew to godwit_worker;
grant select, delete on mailbox.mail to godwit_web;
grant select, insert, update, delete on mailbox.fault to godwit_web;
grant select, insert, update on mailbox.receiver to godwit_web;
grant select on mailbox.receiver to godwit_worker;
grant select, insert on mailbox.request to godwit_web;

-- Testing mode moves the clock that godwit_now() reads.
grant update (ahead) on public.clock to godwit_web;

-- Whether a call begun then may still bring mail of these accounts. Until its transaction ends no account begins
-- anew. Volatile: the second statement sees what was committed while the first waited.
create or replace function mailbox.takes(accounts bigint[], begun timestamptz) returns boolean
language plpgsql volatile set search_path = pg_catalog, public as $$
begin
    perform pg_advisory_xact_lock_shared(7265031);
    return not exists (select from mailbox.begun_anew b where b.account_id = any ($1 || 0::bigint) and b.at >= $2);
end $$;

-- Why mail that a switch keeps back does not go, as `mail_stopped` asks it.
create or replace function mailbox.why_stopped(account bigint, bulk boolean) returns text
language sql stable set search_path = pg_catalog, public as $$
    select case when bool_or(s.stopped) then 'mail is stopped'
                else 'mail was started again and waits to be let go' end
    from public.switch s where s.account_id in (0, $1) and s.holding and (s.scope = 'all' or $2)
$$;

-- What is not quiet yet, over all accounts (or one), for testing mode: the web role sees one account's work at a
-- time, and a test waits for all of it. `blocking`: due now or in hand; the rest is later work, told for people,
-- also what waits for a switch or for a person.
create or replace function mailbox.work_left(account bigint)
returns table (what text, why text, due timestamptz, blocking boolean)
language sql volatile security definer set search_path = pg_catalog, public as $$
    with now as materialized (select public.godwit_now() as it)
    select 'job ' || j.kind,
           case when j.state = 'leased' then 'being done by ' || j.leased_by
                when w.stopped then mailbox.why_stopped(j.account_id, j.queue = 'sends')
                when j.run_at <= now.it then 'due' else coalesce(j.reason, 'not due yet') end,
           case when w.stopped then null else j.run_at end,
           j.state = 'leased' or (j.run_at <= now.it and not w.stopped)
    from now, public.job j, lateral (select j.state = 'ready' and j.queue in ('messages', 'sends')
        and public.mail_stopped(j.account_id, j.queue = 'sends') as stopped) as w
    where j.state in ('ready', 'leased') and ($1 is null or j.account_id = $1)
    union all
    select 'mailing ' || m.id,
           case when m.state = 'building' and m.starts_at > now.it then 'starts later'
                when w.stopped then mailbox.why_stopped(m.account_id, true) when w.open then m.state
                else 'what is unsure waits' end,
           case when m.state = 'building' then m.starts_at when w.stopped or not w.open then null
                else m.created_at end,
           case when m.state = 'building' then m.starts_at <= now.it else w.open and not w.stopped end
    from now, public.mailing m, lateral (select
        exists (select from public.send s where s.account_id = m.account_id and s.mailing_id = m.id
                and s.state in ('planned', 'sending'))
            or not exists (select from public.send s where s.account_id = m.account_id
                           and s.mailing_id = m.id and s.state = 'unknown') as open,
        public.mail_stopped(m.account_id, true) and not exists (
            select from public.send s where s.account_id = m.account_id and s.mailing_id = m.id
            and s.state = 'sending') as stopped) as w
    where m.state in ('building', 'sending') and ($1 is null or m.account_id = $1)
    union all
    select 'batch ' || b.id, coalesce(b.reason, b.state),
           case when b.state = 'calling' then b.call_until else b.look_up_at end,
           b.state = 'calling' or coalesce(b.look_up_at <= now.it, false)
    from now, public.batch b
    where b.state in ('calling', 'unknown') and ($1 is null or b.account_id = $1)
$$;
comment on function mailbox.work_left(bigint) is 'A test waits for the work of every account; counts and reasons only, and never in production.';
revoke execute on function mailbox.work_left(bigint) from public;
grant execute on function mailbox.work_left(bigint) to godwit_web;

-- The receiver that a fault names: by its own id, or by that of an endpoint with its address; null when there is none.
create or replace function mailbox.receiver_of(named text) returns text
language plpgsql stable security definer set search_path = pg_catalog, public as $$
begin
    return (select r.id from mailbox.receiver r where r.id = $1 or exists (
        select from public.endpoint e where e.id::text = $1
        and e.url = format('http://127.0.0.1:%s/r/%s', r.port, r.id)) limit 1);
end $$;
comment on function mailbox.receiver_of(text) is 'A test orders a fault by an endpoint''s id, over all accounts; answers a receiver''s id alone, and never in production.';
revoke execute on function mailbox.receiver_of(text) from public;
grant execute on function mailbox.receiver_of(text) to godwit_web;

-- Everything that an account holds (null: every account) is forgotten; account, team, sessions, keys and the first
-- newsletter stay. One statement: foreign keys are asked at its end, so no order of tables has to be kept.
create or replace function mailbox.reset(account bigint) returns void
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
    deletes text;
begin
    select string_agg(format('t%s as (delete from public.%I where ($1 is null or account_id = $1) %s)', n, name,
                             case name when 'newsletter' then 'and not is_default' else '' end), ', ')
    into deletes
    from (select c.relname as name, row_number() over () as n
          from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
          where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
            and c.relname not in ('membership', 'api_key')) as held;
    execute 'with ' || deletes || ' select' using $1;
    -- Nobody claims any more what is gone, so every call that may still write was begun before now; those that
    -- are writing end first.
    perform pg_advisory_xact_lock(7265031);
    insert into mailbox.begun_anew as b values (coalesce($1, 0), clock_timestamp())
    on conflict (account_id) do update set at = excluded.at;
    delete from mailbox.mail m where $1 is null or m.account_id = $1;
    delete from mailbox.receiver r where $1 is null or r.account_id = $1;
    delete from mailbox.fault f where $1 is null or f.account_id = $1;
    if $1 is null then
        delete from public.creator_code;
        delete from public.limit_bucket;
        update public.clock set ahead = '0';
    end if;
end $$;
comment on function mailbox.reset(bigint) is 'A tester begins again from an empty account, or from empty accounts; never in production.';
revoke execute on function mailbox.reset(bigint) from public;
grant execute on function mailbox.reset(bigint) to godwit_web;
