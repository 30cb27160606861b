"""What a switch holds stands beside what it stops, and an operator is told what letting go would let go."""

from migrations.policies import run

revision = "2026_11_30_held_scope"
down_revision = "2026_11_30_put_off"


def upgrade() -> None:
    run("""
alter table switch add column held_scope text check (held_scope in ('all', 'bulk'))
;;
comment on column switch.held_scope is
    'What is held: the widest that was stopped since the last letting go. scope is only what is stopped now.'
;;
update switch set held_scope = scope where holding
;;
-- A trigger and not the statements that stop mail: those of the version before do not know the column.
create function keep_held_scope() returns trigger
language plpgsql set search_path = pg_catalog, public as $$
begin
    if not new.holding then
        new.held_scope := null;
    elsif new.held_scope is null or (new.stopped and new.scope = 'all') then
        new.held_scope := new.scope;
    end if;
    return new;
end $$
;;
create trigger keep_held_scope before insert or update on switch for each row execute function keep_held_scope()
;;
alter table switch add constraint holding_says_what check (holding = (held_scope is not null))
;;
create or replace function mail_stopped(account bigint, bulk boolean) returns boolean
language sql stable set search_path = pg_catalog, public as $$
    select exists (select from public.switch s
                   where s.account_id in (0, $1) and s.holding and (s.held_scope = 'all' or $2)) $$
;;
drop function platform_switch()
;;
create function platform_switch() returns table (stopped boolean, holding boolean, scope text, reason text,
    changed_by text, changed_at timestamptz, held_scope text)
language sql stable security definer set search_path = pg_catalog, public as $$
    select stopped, holding, scope, reason, changed_by, changed_at, held_scope
    from public.switch where account_id = 0 $$
;;
comment on function platform_switch() is 'Every studio shows that the operator stopped mail: the one row of account 0.'
;;
create or replace function let_go(account bigint, by text) returns boolean
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
    went text;
begin
    update public.switch set holding = stopped, held_scope = scope,
        changed_by = case when stopped then changed_by else $2 end,
        changed_at = case when stopped then changed_at else public.godwit_now() end
    where account_id = $1 and holding and (not stopped or held_scope <> scope)
    returning scope into went;
    if went is not null then
        insert into public.switch_change (account_id, act, scope, reason, by) values ($1, 'let_go', went, '', $2);
    end if;
    return went is not null;
end $$
;;
comment on function let_go(bigint, text) is 'An operator lets go, once, what is held and not stopped any more.'
;;
create or replace function held_mail(account bigint) returns table (sends bigint, messages bigint)
language sql stable security definer set search_path = pg_catalog, public as $$
    with this as (select held_scope from public.switch where account_id = $1 and holding)
    select (select coalesce(sum(t.n), 0)::bigint
            from this, public.tally t join public.mailing m on m.account_id = t.account_id and m.id = t.mailing_id
            where $1 in (0, m.account_id) and m.state in ('building', 'sending') and t.state = 'planned'
              and not exists (select from public.switch s
                              where s.account_id = m.account_id and s.account_id <> $1 and s.holding)),
           (select count(*) from this, public.job j
            where this.held_scope = 'all' and $1 in (0, j.account_id) and j.queue = 'messages' and j.state = 'ready'
              and not exists (select from public.switch s where s.account_id = j.account_id
                              and s.account_id <> $1 and s.held_scope = 'all')) $$
;;
comment on function held_mail(bigint) is
    'What a switch holds: two counts. What an account holds itself is not the platform''s to let go.'
;;
create or replace view operator_switch as
    select s.account_id, a.slug, s.stopped, s.holding, s.scope, s.reason, s.changed_by, s.changed_at, s.held_scope
    from switch s join account a on a.id = s.account_id
;;
revoke execute on function platform_switch(), keep_held_scope() from public
;;
grant execute on function platform_switch() to godwit_web, godwit_worker, godwit_operator
""")
