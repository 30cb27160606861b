"""After very much was written at once, the planner's statistics are made anew before anybody asks for it."""

from migrations.policies import run

revision = "2026_11_30_statistics"
down_revision = "2026_11_30_old_tries"


def upgrade() -> None:
    run("""
create function fresh_statistics(of text[]) returns integer
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
    name text;
    made integer := 0;
begin
    for name in
        select c.relname from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relname = any (of)
          and c.relname in ('reader', 'subscription', 'consent', 'reader_tag', 'send')
          and pg_relation_size(c.oid) / 8192 > 10 + 1.1 * greatest(c.relpages, 0)
        order by c.relname
    loop
        execute format('analyze (skip_locked) public.%I', name);
        made := made + 1;
    end loop;
    return made;
end
$$
;;
comment on function fresh_statistics(text[]) is
    'Who is no owner may not analyse; of tables that grew by a tenth since somebody did, and of nothing else.'
;;
revoke execute on function fresh_statistics(text[]) from public
;;
grant execute on function fresh_statistics(text[]) to godwit_worker
""")
