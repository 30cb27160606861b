"""Promises of jobs and messages (E, M) and of tenancy (T): one function each, on rows alone."""

from collections import Counter, defaultdict
from itertools import pairwise

from app.proof.chaos.books import AttemptRow, Books, Logs
from app.proof.chaos.findings import APART, Finding, acts_of, found_in, tries_of

#: The most copies of mail that does no harm twice: a code goes twice again when nobody knows, others oftener.
REPEATABLE = {"code": 3, "confirm": 5}
REPEATED = 5
FINAL = ("done", "superseded", "discarded")
VISIBLE = ("held", "dead")
#: Seconds since which a turn of repeated work may be due and not over yet: it came after all was quiet.
JUST_NOW = 5.0


def nothing_is_lost(books: Books, logs: Logs) -> list[Finding]:
    """E2: every job is final, visibly held, or waits for a later time."""
    turns = {job for _, job in books.slots}
    stuck = [
        job
        for job in books.jobs
        if job.state not in (*FINAL, *VISIBLE)
        and not (job.state == "ready" and job.run_in > 0)
        and not (job.id in turns and job.run_in > -JUST_NOW)
    ]
    silent = [job for job in books.jobs if job.state in VISIBLE and not job.reason]
    known = {str(job.id) for job in books.jobs}
    promised = {entry.told["id"] for entry in acts_of(logs, "message") if entry.done and entry.told["id"]}
    return [
        *found_in("E2", "messages were promised that are not there", sorted(promised - known)),
        *found_in("E2", "jobs are neither over, nor held, nor for later", stuck),
        *found_in("L8", "jobs are held or dead without a reason", silent),
    ]


def one_at_a_time(books: Books, logs: Logs) -> list[Finding]:
    """E3: of one job no try begins before the one before it is over; leases only grow."""
    overlapping: list[tuple[AttemptRow, AttemptRow]] = []
    for tries in tries_of(books).values():
        kept = sorted((one for one in tries if not one.late), key=lambda one: one.lease)
        overlapping += [(a, b) for a, b in pairwise(kept) if b.started < a.ended - APART]
    return found_in("E3", "tries of one job overlap", overlapping)


def only_the_holder_settles(books: Books, logs: Logs) -> list[Finding]:
    """E4: a lease is settled once, and a job is done once."""
    settled = Counter((one.job, one.lease) for one in books.attempts if not one.late)
    done = Counter(one.job for one in books.attempts if not one.late and one.outcome == "done")
    return [
        *found_in("E4", "leases were settled twice", [one for one, n in settled.items() if n > 1]),
        *found_in("E4", "jobs were done twice", [one for one, n in done.items() if n > 1]),
    ]


def one_key_one_job(books: Books, logs: Logs) -> list[Finding]:
    """E5: an event is delivered to an endpoint by one job, and again only when a person asked."""
    made = Counter((one.account, one.event, one.path, one.redelivery) for one in books.deliveries)
    jobs = Counter(one.job for one in books.deliveries)
    return [
        *found_in(
            "E5", "an event has two deliveries to one endpoint", [one for one, n in made.items() if n > 1]
        ),
        *found_in("E5", "a job has two deliveries", [one for one, n in jobs.items() if n > 1]),
    ]


def one_run_a_slot(books: Books, logs: Logs) -> list[Finding]:
    """E8: a turn of repeated work is one job, done once at most."""
    done = Counter(one.job for one in books.attempts if one.outcome == "done" and not one.late)
    turns = Counter(key for key, _ in books.slots)
    return [
        *found_in("E8", "a slot has two jobs", [key for key, n in turns.items() if n > 1]),
        *found_in("E8", "a slot was run twice", [one for one in books.slots if done[one[1]] > 1]),
    ]


def one_key_one_message(books: Books, logs: Logs) -> list[Finding]:
    """M1: a key is one message for good, and it is mailed once; what may be repeated, so often at most."""
    ids = defaultdict[tuple[str, str], set[str]](set)
    for entry in acts_of(logs, "message"):
        if entry.done and entry.told["id"]:
            ids[entry.account, entry.told["key"]].add(entry.told["id"])
    copies = Counter((mail.kind, mail.delivery) for mail in logs.mails if mail.kind != "broadcast")
    keyed = Counter(
        (mail.account, mail.to, mail.subject) for mail in logs.mails if mail.to.startswith("order-")
    )
    most = {one: REPEATED if one[1] in books.repeatable else REPEATABLE.get(one[0], 1) for one in copies}
    many = [(one, n) for one, n in copies.items() if n > most[one]]
    return [
        *found_in("M1", "a key has two messages", [one for one in ids.items() if len(one[1]) > 1]),
        *found_in("M1", "a message was mailed too often", many),
        *found_in("M1", "two mails went out under one key", [one for one, n in keyed.items() if n > 1]),
    ]


def codes_wait_for_nothing(books: Books, logs: Logs) -> list[Finding]:
    """M2: no code waits when all is quiet, for whatever reason."""
    waiting = [job for job in books.jobs if job.queue.startswith("codes") and job.state in ("ready", "held")]
    return found_in("M2", "codes are waiting", waiting)


def nothing_without_an_account(books: Books, logs: Logs) -> list[Finding]:
    """T1: without an account the web's role sees no row of any."""
    return found_in("T1", "rows are seen without an account", list(books.without_account.items()))
