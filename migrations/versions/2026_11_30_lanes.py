"""Jobs that go one by one: lanes and ranks; what operators may see and do; finished jobs may be pruned."""

from alembic import op

from migrations.policies import run, secure

revision = "2026_11_30_lanes"
down_revision = "2026_11_30_publishing"


def upgrade() -> None:
    run(r"""
alter table job add column lane text collate "C", add column rank bigint,
    add constraint rank_has_lane check (rank is null or lane is not null)
;;
create unique index job_one_of_lane on job (account_id, lane) where lane is not null and state = 'leased'
;;
create index job_ready_of_lane on job (queue, share, account_id, lane, id) where state = 'ready' and lane is not null
;;
create index job_ready_of_rank on job (queue, account_id, lane, rank) where state = 'ready' and rank is not null
;;
create index job_key_of_slot on job_key (created_at) where key ~ '@\d{4}-\d\d-\d\dT\d\d:\d\dZ$'
;;
create index job_finished on job (finished_at) where finished_at is not null
;;
create index job_given_up on job (id) where state in ('held', 'dead')
;;
create table lane (
    account_id bigint not null references account,
    lane text collate "C" not null,
    newest_rank bigint not null,
    primary key (account_id, lane)
)
""")
    secure("lane", web="select, insert, update", worker="select, insert, update", worker_across=True)
    op.execute("grant delete on job, job_key to godwit_worker")
    run("""
create view operator_job as
    select id, account_id, queue, kind, share, lane, state, run_at, expires_at, attempts, max_attempts, throttles,
           reason, leased_by, leased_until, created_at, finished_at from job
;;
create view operator_attempt as
    select account_id, job_id, number, lease, started_at, ended_at, outcome, late, detail ->> 'reason' as reason, worker from attempt
;;
grant select on operator_job, operator_attempt to godwit_operator
;;
create function retry_job(job bigint) returns boolean
language sql security definer set search_path = pg_catalog, public as $$
    with tried as (
        update public.job set state = 'ready', reason = null, attempts = 0, run_at = public.godwit_now()
        where id = $1 and state in ('dead', 'held') returning id
    ) select exists (select from tried) $$
;;
comment on function retry_job(bigint) is 'An operator tries a job again that gave up or is held, by exact id.'
;;
create function discard_job(job bigint, because text) returns boolean
language sql security definer set search_path = pg_catalog, public as $$
    with gone as (
        update public.job set state = 'discarded', reason = $2, finished_at = public.godwit_now()
        where id = $1 and state in ('ready', 'dead', 'held') returning id
    ) select exists (select from gone) $$
;;
comment on function discard_job(bigint, text) is 'An operator gives a job up for good, by exact id, with the reason.'
;;
revoke execute on function retry_job(bigint), discard_job(bigint, text) from public
;;
grant execute on function retry_job(bigint), discard_job(bigint, text) to godwit_operator
""")
