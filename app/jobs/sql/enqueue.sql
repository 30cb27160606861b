-- Makes each ordered job once: one whose key is known is left out, without an error (E5).
with ordered as materialized (
    select nextval('job_id_seq') as id, o.*
    from jsonb_to_recordset(cast(:orders as jsonb)) as o(
        queue text, kind text, args jsonb, version integer, secrets text[], share text, key text,
        run_at timestamptz, expires_at timestamptz, max_attempts integer, on_unknown text)
), keyed as (
    insert into job_key (account_id, kind, key, job_id)
    select :account, kind, key, id from ordered where key is not null
    order by kind, key  -- two that make the same jobs wait for each other in one order
    on conflict do nothing
    returning job_id
)
insert into job (id, account_id, queue, kind, args, version, secrets, share, run_at, expires_at,
                 max_attempts, on_unknown, cause)
select id, :account, queue, kind, args, version, secrets, coalesce(share, cast(:account as text)),
       coalesce(run_at, godwit_now()), expires_at, max_attempts, on_unknown, :cause
from ordered
where key is null or id in (select job_id from keyed)
returning id
