-- The shares of a queue whose next job is due, beginning after the share last served: whose they are, and what
-- kind of job it is. Ends at :most.
with now (it) as materialized (
    select godwit_now()
)
select share, account_id, kind from turns(cast(:queue as text), cast(:after as text), cast(:since as timestamptz))
where run_at <= (select it from now)
limit :most
