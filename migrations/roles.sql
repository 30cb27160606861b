-- The roles of engine.md section 4. Idempotent; run by the log-in in DATABASE_URL before Alembic.
do $$
declare
    wanted text;
begin
    foreach wanted in array array['godwit_owner', 'godwit_web', 'godwit_worker', 'godwit_operator'] loop
        if not exists (select from pg_roles where rolname = wanted) then
            execute format('create role %I nologin noinherit', wanted);
        end if;
    end loop;
    if not pg_has_role(current_user, 'godwit_owner', 'member') then
        execute format('grant godwit_owner to %I', current_user);
    end if;
    -- As the owner alone may not hand out its schema, the log-in does it once.
    execute 'grant usage, create on schema public to godwit_owner';
    execute 'grant usage on schema public to godwit_web, godwit_worker, godwit_operator';
    execute format('grant create on database %I to godwit_owner', current_database());
end
$$;
