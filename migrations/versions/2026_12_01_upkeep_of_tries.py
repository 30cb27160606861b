"""Upkeep of tries holds up nobody (one act a call, no long wait for a lock), and mends months without a part."""

from migrations.policies import run

revision = "2026_12_01_upkeep_of_tries"
down_revision = "2026_11_30_superseded"


def upgrade() -> None:
    run("""
drop function maintain_attempts()
;;
create function maintain_attempts() returns boolean
language plpgsql security definer set search_path = pg_catalog, public
set lock_timeout = '200ms'  -- whoever settles waits behind whoever waits for this lock
as $$
declare
    month date := date_trunc('month', clock_timestamp() at time zone 'UTC')::date;
    wanted date;
    name text;
    stands bigint;
    gone bigint;
begin
    select min(m) into wanted from (
        select (month + make_interval(months => n))::date from generate_series(0, 3) as n
        union all select date_trunc('month', min(started_at) at time zone 'UTC')::date from public.attempt_default
    ) as months (m) where to_regclass('public.attempt_' || to_char(m, 'YYYY_MM')) is null;
    if wanted is not null then  -- with what fell outside while the month had no part
        name := 'attempt_' || to_char(wanted, 'YYYY_MM');
        lock table public.attempt_default in access exclusive mode;
        execute format('create table public.%I (like public.attempt including defaults including constraints)', name);
        execute format('with moved as (delete from public.attempt_default'
            ' where date_trunc(''month'', started_at at time zone ''UTC'') = %L returning *)'
            ' insert into public.%I select * from moved', wanted, name);
        execute format('alter table public.attempt attach partition public.%I for values from (%L) to (%L)', name,
            wanted || ' 00:00+00', (wanted + interval '1 month')::date || ' 00:00+00');
        execute format('alter table public.%I enable row level security', name);
        execute format('alter table public.%I force row level security', name);
        execute format('create policy owner on public.%I for all to godwit_owner using (true)', name);
        return true;
    end if;
    for name in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'public.attempt'::regclass and c.relname ~ '^attempt_[0-9]{4}_[0-9]{2}$'
          and c.relname < 'attempt_' || to_char(month - interval '2 months', 'YYYY_MM')
        order by c.relname
    loop
        execute format('select count(*) filter (where j.id is not null), count(*) filter (where j.id is null)'
            ' from public.%I a left join public.job j on j.account_id = a.account_id and j.id = a.job_id', name)
            into stands, gone;
        if stands = 0 then
            execute format('drop table public.%I', name);
            return true;
        elsif gone > stands then  -- written anew: what is deleted leaves its room behind
            execute format('create temporary table tries_kept as select a.* from public.%I a'
                ' join public.job j on j.account_id = a.account_id and j.id = a.job_id', name);
            execute format('truncate public.%I', name);
            execute format('insert into public.%I select * from pg_temp.tries_kept', name);
            drop table pg_temp.tries_kept;
            return true;
        end if;
    end loop;
    return false;
end
$$
;;
comment on function maintain_attempts() is
    'Keeps three months of attempt partitions ahead, and one for whatever fell outside; of those before the last two only tries of jobs that stand. One act a call: true, and there may be more. Raises 55P03 when somebody reads or writes the table for longer than a moment.'
;;
revoke execute on function maintain_attempts() from public
;;
grant execute on function maintain_attempts() to godwit_worker
""")
