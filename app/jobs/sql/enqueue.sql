-- Makes each ordered job once: one whose key is known is left out, without an error (E5). A rank raises the
-- newest of its lane in the same commit; what is older by then the claim finds (E7).
with ordered as materialized (
    select nextval('job_id_seq') as id, o.*
    from jsonb_to_recordset(cast(:orders as jsonb)) as o(
        queue text, kind text, args jsonb, version integer, secrets text[], share text, key text,
        run_at timestamptz, expires_at timestamptz, max_attempts integer, on_unknown text, lane text, rank bigint)
), keyed as (
    insert into job_key (account_id, kind, key, job_id)
    select :account, kind, key, id from ordered where key is not null
    order by kind, key  -- two that make the same jobs wait for each other in one order
    on conflict do nothing
    returning job_id
), new as materialized (
    select * from ordered where key is null or id in (select job_id from keyed)
), raised as (
    insert into lane (account_id, lane, newest_rank)
    select :account, lane, max(rank) from new where rank is not null
    group by lane
    order by lane
    on conflict (account_id, lane) do update set newest_rank = greatest(lane.newest_rank, excluded.newest_rank)
)
insert into job (id, account_id, queue, kind, args, version, secrets, share, run_at, expires_at,
                 max_attempts, on_unknown, lane, rank, cause)
select id, :account, queue, kind, args, version, secrets, coalesce(share, cast(:account as text)),
       coalesce(run_at, godwit_now()), expires_at, max_attempts, on_unknown, lane, rank, :cause
from new
returning id
