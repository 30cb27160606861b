"""How many readers got which plan by an import: who is let in behind the paywall is told before and after."""

from migrations.policies import run

revision = "2026_11_30_import_access"
down_revision = "2026_11_30_import_upkeep"


def upgrade() -> None:
    run("""
alter table import add column access jsonb not null default '{}'
;;
comment on column import.access is 'How many readers got which plan, by its name: {"Paid": 120}. Older imports tell none.'
;;
create function counted_up(counts jsonb, more jsonb) returns jsonb
language sql immutable set search_path = pg_catalog as $$
    select coalesce(jsonb_object_agg(key, count), '{}') from (
        select key, sum(cast(value as bigint)) as count
        from (select * from jsonb_each_text($1) union all select * from jsonb_each_text($2)) both_of
        group by key) summed
$$
;;
comment on function counted_up(jsonb, jsonb) is 'Counts under names, added up name by name.'
""")
