"""An operator's stop does not take away the team's own: it stands again when the operator starts mail."""

from migrations.policies import run

revision = "2026_12_01_team_stop"
down_revision = "2026_12_01_unknown_database"


def upgrade() -> None:
    run("""
alter table switch
    add column team_scope text check (team_scope in ('all', 'bulk')),
    add column team_reason text check (length(team_reason) <= 500),
    add column team_by text,
    add constraint team_stop_is_under_an_operators check (team_scope is null or (stopped and by_operator)),
    add constraint team_stop_says_why check (
        (team_scope is null) = (team_reason is null) and (team_scope is null) = (team_by is null)),
    add constraint team_stop_is_not_narrowed check (team_scope is null or scope = 'all' or team_scope = 'bulk')
;;
comment on column switch.team_scope is 'What the team stopped itself, while an operator stops it too: by team_by, for team_reason.'
;;
create or replace function set_switch(account bigint, stop boolean, scope text, reason text, by text) returns void
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
    if $2 then
        insert into public.switch as s (account_id, stopped, scope, reason, changed_by, holding, by_operator)
        values ($1, true, $3, $4, $5, true, true)
        on conflict (account_id) do update set
            (team_scope, team_reason, team_by) = (
                select t.* from (values (s.scope, s.reason, s.changed_by)) as t where s.stopped and not s.by_operator
                union all
                select s.team_scope, s.team_reason, s.team_by where not s.stopped or s.by_operator),
            scope = case when s.stopped and 'all' = case when s.by_operator then s.team_scope else s.scope end
                         then 'all' else excluded.scope end,
            stopped = true, holding = true, by_operator = true,
            reason = excluded.reason, changed_by = excluded.changed_by,
            changed_at = case when s.stopped then s.changed_at else public.godwit_now() end;
    else
        update public.switch s set
            stopped = s.team_scope is not null, by_operator = false,
            scope = coalesce(s.team_scope, s.scope), reason = coalesce(s.team_reason, $4),
            changed_by = coalesce(s.team_by, $5),
            team_scope = null, team_reason = null, team_by = null,
            changed_at = case when s.stopped and s.team_scope is null then public.godwit_now() else s.changed_at end
        where s.account_id = $1;
    end if;
    insert into public.switch_change (account_id, act, scope, reason, by)
    values ($1, case when $2 then 'stopped' else 'started' end, $3, $4, $5);
end $$
;;
create or replace view operator_switch as
    select s.account_id, a.slug, s.stopped, s.holding, s.scope, s.reason, s.changed_by, s.changed_at, s.held_scope,
           s.by_operator
    from switch s join account a on a.id = s.account_id
""")
