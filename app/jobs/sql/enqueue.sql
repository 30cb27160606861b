-- Makes each ordered job once: one whose key is known is left out, without an error (E5). A rank raises the
-- newest of its lane in the same commit; what is older by then the claim finds (E7).
-- The clock is asked once: for each job it would take a third of the time. And it is asked after any wait for keys,
-- which is why they come first in `new`: what is committed long after it was due needs a look of its own.
with now (it) as materialized (
    select godwit_now()
), ordered as materialized (
    select nextval('job_id_seq') as id, o.*
    from jsonb_to_recordset(cast(:orders as jsonb)) as o(
        queue text, kind text, args jsonb, version integer, secrets text[], share text, key text,
        run_at timestamptz, expires_at timestamptz, max_attempts integer, on_unknown text, lane text, rank bigint)
), keyed as (
    insert into job_key (account_id, kind, key, job_id, created_at)
    select :account, kind, key, id, (select godwit_now()) from ordered where key is not null
    order by kind, key  -- two that make the same jobs wait for each other in one order
    on conflict do nothing
    returning job_id
), new as materialized (
    select * from ordered where id in (select job_id from keyed) or key is null
), raised as (
    insert into lane (account_id, lane, newest_rank)
    select :account, lane, max(rank) from new where rank is not null
    group by lane
    order by lane
    on conflict (account_id, lane) do update set newest_rank = greatest(lane.newest_rank, excluded.newest_rank)
)
insert into job (id, account_id, queue, kind, args, version, secrets, share, run_at, expires_at,
                 max_attempts, on_unknown, lane, rank, cause, created_at)
select id, :account, queue, kind, args, version, coalesce(secrets, '{}'), coalesce(share, cast(:account as text)),
       coalesce(run_at, (select it from now)), expires_at, max_attempts, on_unknown, lane, rank, :cause,
       (select it from now)
from new
returning id
