"""Jobs: work to do, a row each, done by whoever holds the lease.

Owns the tables job, job_key, lane, attempt and outcome_count, and the bell that wakes workers. A job is made
inside its cause's transaction (`enqueue`), claimed for a time (the *lease*, a number that
only grows), handled outside any transaction of the runner, and settled by compare-and-set
on that lease. What a handler may answer is a small closed set (`Done`, `Retry`, …).

Words: *queue* (a family of kinds with handlers and slots of its own), *share* (whose turn
it is: the account, or later the endpoint), *lane* (jobs that go one by one; with *ranks* only
the newest goes), *slot* (one turn of repeated work), *attempt* (one try), *cause* (the request
that led to it).

Promises: E1 job and cause commit together or not at all. E2 a committed job reaches a
final state or a visible hold, whatever is killed or flushed. E3 no two hold one job.
E4 only the holder of the lease settles. E5 one key, one job, also after pruning.
E6 a throttle is not an attempt; a refusal is final at once, with the reason. E7 no older
release is begun after a newer one. E8 one run per slot. E9 SIGTERM
loses and repeats nothing. E10 one bad job or account does not slow the others. E11 what
repairs the queue (the sweep) does not run in it.

Redis only rings the bell. Without it the timer of each worker finds the work, at most
GODWIT_SWEEP seconds late.
"""

from app.jobs.backoff import PROMPT, Backoff
from app.jobs.counting import LOST, add_counts, count_outcome
from app.jobs.giving_up import given_up
from app.jobs.holds import hold, let_go
from app.jobs.jobs import MaintainAttempts, PruneJobs
from app.jobs.news import AddressBounced
from app.jobs.outcomes import (
    Continue,
    Discard,
    Done,
    Held,
    Outcome,
    Refused,
    Retry,
    Superseded,
    Throttled,
    Unknown,
)
from app.jobs.queries import (
    OPEN,
    AttemptLine,
    Depth,
    JobLine,
    operator_attempts,
    operator_job,
    operator_jobs,
    overdue_work,
    queue_depths,
)
from app.jobs.queue import Order, enqueue, enqueue_many, enqueue_platform
from app.jobs.registry import LEASE_USED, QUEUES, Work, handles, job, registered_kinds
from app.jobs.slots import Scheduled, enqueue_slots, slot_key, slots_due
from app.jobs.states import JobState
from app.jobs.verdicts import discard_job, retry_job

__all__ = [
    "LEASE_USED",
    "LOST",
    "OPEN",
    "PROMPT",
    "QUEUES",
    "AddressBounced",
    "AttemptLine",
    "Backoff",
    "Continue",
    "Depth",
    "Discard",
    "Done",
    "Held",
    "JobLine",
    "JobState",
    "MaintainAttempts",
    "Order",
    "Outcome",
    "PruneJobs",
    "Refused",
    "Retry",
    "Scheduled",
    "Superseded",
    "Throttled",
    "Unknown",
    "Work",
    "add_counts",
    "count_outcome",
    "discard_job",
    "enqueue",
    "enqueue_many",
    "enqueue_platform",
    "enqueue_slots",
    "given_up",
    "handles",
    "hold",
    "job",
    "let_go",
    "operator_attempts",
    "operator_job",
    "operator_jobs",
    "overdue_work",
    "queue_depths",
    "registered_kinds",
    "retry_job",
    "slot_key",
    "slots_due",
]
