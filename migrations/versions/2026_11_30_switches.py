"""Switches: who stopped mail, how much of it, why and since when; what was held is let go once."""

from migrations.policies import run, secure

revision = "2026_11_30_switches"
down_revision = "2026_11_30_lanes"


def upgrade() -> None:
    run("""
create table switch (
    account_id bigint primary key references account,
    stopped boolean not null default false,
    scope text not null default 'all' check (scope in ('all', 'bulk')),
    reason text not null default '' check (length(reason) <= 500),
    changed_by text not null default '',
    -- What an operator stopped only an operator starts; the team may widen it.
    by_operator boolean not null default false,
    changed_at timestamptz not null default godwit_now(),
    -- Mail that was waiting when the switch went off stays until somebody lets it go, once.
    holding boolean not null default false,
    constraint stopped_has_reason check (not stopped or reason <> ''),
    constraint stopped_holds check (not stopped or holding)
)
;;
create table switch_change (
    account_id bigint not null references account,
    id bigint generated always as identity,
    act text not null check (act in ('stopped', 'started', 'let_go')),
    scope text not null,
    reason text not null,
    by text not null,
    at timestamptz not null default godwit_now(),
    primary key (account_id, id)
)
""")
    secure("switch", web="select, insert, update", worker="select", worker_across=True)
    secure("switch_change", web="select, insert", worker="select")
    run("""
create function mail_stopped(account bigint, bulk boolean) returns boolean
language sql stable set search_path = pg_catalog, public as $$
    select exists (select from public.switch s
                   where s.account_id in (0, $1) and s.holding and (s.scope = 'all' or $2)) $$
;;
comment on function mail_stopped(bigint, boolean) is
    'Whether mail of an account may not go now: bulk is what the ledger sends. Asked by every claim, as the worker.'
;;
create function codes_stopped() returns boolean
language sql stable set search_path = pg_catalog, public as $$
    select exists (select from public.switch where account_id = 0 and stopped and scope = 'all') $$
;;
comment on function codes_stopped() is
    'Whether sign-in codes are discarded (they are never held, and go again as soon as mail is started). Asked as the worker.'
;;
create function platform_switch() returns table (stopped boolean, holding boolean, scope text, reason text,
    changed_by text, changed_at timestamptz)
language sql stable security definer set search_path = pg_catalog, public as $$
    select stopped, holding, scope, reason, changed_by, changed_at from public.switch where account_id = 0 $$
;;
comment on function platform_switch() is 'Every studio shows that the operator stopped mail: the one row of account 0.'
;;
create function set_switch(account bigint, stop boolean, scope text, reason text, by text) returns void
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
    insert into public.switch as s (account_id, stopped, scope, reason, changed_by, holding, by_operator)
    values ($1, $2, $3, $4, $5, $2, $2)
    on conflict (account_id) do update set stopped = excluded.stopped,
        scope = case when excluded.stopped then excluded.scope else s.scope end, reason = excluded.reason,
        changed_by = excluded.changed_by, holding = s.holding or excluded.stopped, by_operator = excluded.stopped,
        changed_at = case when s.stopped = excluded.stopped then s.changed_at else public.godwit_now() end;
    insert into public.switch_change (account_id, act, scope, reason, by)
    values ($1, case when $2 then 'stopped' else 'started' end, $3, $4, $5);
end $$
;;
comment on function set_switch(bigint, boolean, text, text, text) is 'An operator stops or starts mail of one account, or of all (0).'
;;
create function let_go(account bigint, by text) returns boolean
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
    went boolean;
begin
    update public.switch set holding = false, changed_by = $2, changed_at = public.godwit_now()
    where account_id = $1 and holding and not stopped;
    went := found;
    if went then
        insert into public.switch_change (account_id, act, scope, reason, by) values ($1, 'let_go', 'all', '', $2);
    end if;
    return went;
end $$
;;
comment on function let_go(bigint, text) is 'An operator lets held mail go, once, after the switch is off.'
;;
create function held_mail(account bigint) returns table (sends bigint, messages bigint)
language sql stable security definer set search_path = pg_catalog, public as $$
    select (select coalesce(sum(t.n), 0)::bigint
            from public.tally t join public.mailing m on m.account_id = t.account_id and m.id = t.mailing_id
            where ($1 = 0 or m.account_id = $1) and m.state in ('building', 'sending') and t.state = 'planned'),
           (select count(*) from public.job j
            where j.queue = 'messages' and j.state = 'ready' and ($1 = 0 or j.account_id = $1)) $$
;;
comment on function held_mail(bigint) is 'An operator reads how much letting go would let go: two counts.'
;;
create function retry_message(message bigint) returns boolean
language sql security definer set search_path = pg_catalog, public as $$
    with tried as (
        update public.job set state = 'ready', reason = null, attempts = 0, run_at = public.godwit_now()
        where id = $1 and kind = 'send_message' and state in ('dead', 'held')
          and account_id = nullif(current_setting('godwit.account_id', true), '')::bigint
        returning id
    ) select exists (select from tried) $$
;;
comment on function retry_message(bigint) is
    'The team tries a message of its own account again that gave up or is held: web may not change jobs otherwise.'
;;
revoke execute on function platform_switch(), set_switch(bigint, boolean, text, text, text), let_go(bigint, text),
    held_mail(bigint), retry_message(bigint) from public
;;
grant execute on function retry_message(bigint) to godwit_web
;;
grant execute on function held_mail(bigint) to godwit_operator
;;
grant execute on function platform_switch() to godwit_web, godwit_worker, godwit_operator
;;
grant execute on function set_switch(bigint, boolean, text, text, text), let_go(bigint, text) to godwit_operator
;;
create view operator_switch as
    select s.account_id, a.slug, s.stopped, s.holding, s.scope, s.reason, s.changed_by, s.changed_at
    from switch s join account a on a.id = s.account_id
;;
create view operator_switch_change as
    select c.account_id, a.slug, c.act, c.scope, c.reason, c.by, c.at
    from switch_change c join account a on a.id = c.account_id
;;
grant select on operator_switch, operator_switch_change to godwit_operator
""")
