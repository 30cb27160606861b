-- Counts, ages and rates over all accounts as rows (name, one, two, n), never content; each index is walked once.
with share as materialized (
    select queue, share, jobs, oldest from operator_share
), now (it) as materialized (
    select godwit_now()
), lease as materialized (
    select queue, jobs, expired from operator_lease
), batches as materialized (
    select size, called_at from operator_batch where state = 'unknown'
), outcome as materialized (
    select queue, kind, outcome, n from operator_outcome
)
select 'jobs' as name, queue as one, 'ready' as two, cast(sum(jobs) as double precision) as n from share group by queue
union all
select 'jobs', queue, 'leased', jobs from lease
union all
select 'jobs', queue, state, count(*) from operator_job where state in ('held', 'dead') group by queue, state
union all
select 'oldest_due', queue, '', extract(epoch from (select it from now) - min(oldest)) from share
where oldest <= (select it from now) group by queue
union all
select 'shares', queue, '', count(*) from share group by queue
union all
select 'largest_share', queue, '', max(jobs) from share group by queue
union all
select 'leases', queue, 'open', jobs - expired from lease
union all
select 'leases', queue, 'expired', expired from lease
union all
select 'unknown_batches', '', '', count(*) from batches
union all
select 'unknown_copies', '', '', coalesce(sum(size), 0) from batches
union all
select 'unknown_age', '', '', coalesce(extract(epoch from clock_timestamp() - min(called_at)), 0) from batches
union all
select 'mailings', state, '', count(*) from operator_mailing group by state
union all
select 'permits', '', '', coalesce(sum(permits), 0) from operator_permit
union all
select 'permitted_copies', '', '', coalesce(sum(copies), 0) from operator_permit
union all
select 'webhooks', state, '', sum(endpoints) from operator_endpoint group by state
union all
select 'stopped', case when account_id = 0 then 'platform' else 'accounts' end, '', count(*) from operator_switch
where stopped group by 2
union all
select 'refusing', provider, '', 1 from provider_refusal where let_in_at is null
union all
select 'outcomes', kind, outcome, sum(n) from outcome group by kind, outcome
