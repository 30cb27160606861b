"""Promises of what is counted, of turns and of what was held (E6, E10, E11, L9, L10): one function each."""

from collections import Counter, defaultdict
from itertools import pairwise

from app.proof.chaos.books import AttemptRow, BatchRow, Books, JobRow, Logs
from app.proof.chaos.findings import Finding, acts_of, found_in, tries_of

#: Outcomes that take the count of their try back.
UNCOUNTED = ("continue", "throttled", "held")
#: Queues whose jobs are due when they are made, and go by turns of publications alone.
IN_TURNS = ("messages", "sends")
#: So many more than its own may go first although they were made later, and are in others' hands by chance.
AHEAD = 40
#: Jobs begun before it that are looked at, for each.
LOOKED_BACK = 500
#: Kinds whose lease nothing extends, and the seconds after it within which somebody must have seen its end,
#: whatever fell together: the worst that chaos brings at once takes half of it.
UNEXTENDED = ("deliver_sends", "deliver_webhook", "send_message", "send_reader_code", "send_creator_code")
SEEN_WITHIN = 60.0
#: Copies that others may have more of meanwhile: five seconds of the rate. Seconds that a permit takes.
MORE, PERMIT = 150, 5.0


def tries_are_counted(books: Books, logs: Logs) -> list[Finding]:
    """E6: a throttle is not a try, and a refusal is the last one, but for a person who asks anew."""
    jobs = {job.id: job for job in books.jobs}
    wrong, again = list[tuple[AttemptRow, AttemptRow]](), list[tuple[AttemptRow, AttemptRow]]()
    left = list[tuple[JobRow, AttemptRow]]()
    for number, tries in tries_of(books).items():
        kept = sorted((one for one in tries if not one.late), key=lambda one: one.lease)
        anew = [(a, b) for a, b in pairwise(kept) if b.number != 1 or a.outcome in UNCOUNTED]
        again += [(a, b) for a, b in anew if a.outcome == "refused"]
        wrong += [(a, b) for a, b in anew if a.outcome != "refused" and b.number != _counted(a) + 1]
        job = jobs.get(number)
        if job and kept and job.state in ("done", "dead") and job.attempts not in (0, _counted(kept[-1])):
            left.append((job, kept[-1]))
    return [
        *found_in("E6", "what is no try was counted as one, or a try was not", wrong),
        *found_in("E6", "jobs do not have the tries that were counted", left),
        *found_in("E6", "what was refused was tried again", again),
    ]


def nobody_is_passed_by(books: Books, logs: Logs) -> list[Finding]:
    """E10: what others made later goes first no oftener than what is one's own, but while mail is stopped."""
    first = {job: min(tries, key=lambda one: one.lease) for job, tries in tries_of(books).items()}
    found: list[str] = []
    for queue in IN_TURNS:
        begun = sorted(
            ((first[job.id], job) for job in books.jobs if job.queue == queue and job.id in first),
            key=lambda one: one[0].lease,
        )
        for place, (_, job) in enumerate(begun):
            before = begun[max(0, place - LOOKED_BACK) : place]
            later = [n for n, (_, one) in enumerate(before) if one.id > job.id and one.account != job.account]
            later = [n for n in later if not _stopped(logs, job.account, before[n][0].started)]
            others = Counter(before[n][1].account for n in later)
            own = sum(one.account == job.account for _, one in before[later[0] :]) if later else 0
            found += [
                f"{n} of {who} before job {job.id} of {job.account}, of whose own {own} went"
                for who, n in others.items()
                if n > own + AHEAD
            ]
    return found_in("E10", "a publication's work waited while another's that came later went first", found)


def leases_end_in_time(books: Books, logs: Logs) -> list[Finding]:
    """E11: however the queues stand, that a lease ran out is seen beside them, and soon."""
    kinds = {job.id: job.kind for job in books.jobs}
    late = [
        one
        for one in books.attempts
        if one.outcome == "lost" and kinds.get(one.job) in UNEXTENDED
        if one.ended - one.started > logs.lease + SEEN_WITHIN
    ]
    return found_in("E11", "nobody saw for long that a lease had run out", late)


def few_are_not_behind_many(books: Books, logs: Logs) -> list[Finding]:
    """L9: while a mailing that nothing befell is handed over, no other publication is given much more."""
    calls = defaultdict[object, list[BatchRow]](list)
    for batch in books.batches:
        calls[batch.mailing].append(batch)
    touched = {one.told.get("broadcast") for one in logs.diary if one.act != "broadcast"}
    found: list[str] = []
    for mailing in books.mailings:
        made = calls[mailing.id]
        if not made or mailing.broadcast in touched or any(one.state != "accepted" for one in made):
            continue
        since, until = min(one.called for one in made), max(one.called for one in made)
        if _befell(books, logs, mailing.account, since, until):
            continue
        given = Counter[str]()
        for batch in books.batches:
            given[batch.account] += batch.size if since <= batch.called <= until else 0
        who, n = given.most_common(1)[0]
        if n > given[mailing.account] + MORE:
            found.append(f"{mailing.id} of {mailing.account}: {given[mailing.account]} copies, {n} of {who}")
    return found_in("L9", "a mailing waited while another publication's copies were handed over", found)


def held_is_not_lost(books: Books, logs: Logs) -> list[Finding]:
    """L10: what a stop held has gone when all is quiet: nothing of it was thrown away, or stays behind."""
    state = {str(job.id): job for job in books.jobs}
    asked = [state.get(entry.told["id"]) for entry in acts_of(logs, "message") if entry.done]
    thrown = [job for job in asked if job and job.state == "discarded" and "erased" not in (job.reason or "")]
    open_ = {one.id for one in books.mailings if one.state in ("building", "sending", "paused")}
    behind = [send for send in books.sends if send.state == "planned" and send.mailing in open_]
    return [
        *found_in("L10", "messages were thrown away that nobody had erased", thrown),
        *found_in("L10", "copies stay behind although nothing is stopped any more", behind),
    ]


def _counted(one: AttemptRow) -> int:
    """The tries of its job once this one is over."""
    return one.number - (one.outcome in UNCOUNTED)


def _stopped(logs: Logs, account: str, at: float) -> bool:
    """Whether the publication's mail may have been stopped then."""
    before = [one for one in acts_of(logs, "switch_on", "switch_off") if one.account == account]
    last = [one for one in before if one.begun <= at]
    return any(one.begun <= at <= one.answered for one in last) or bool(last and last[-1].act == "switch_on")


def _befell(books: Books, logs: Logs, account: str, since: float, until: float) -> bool:
    """Whether mail was stopped, or a permit of the publication did not go as it should."""
    permits = {job.id for job in books.jobs if job.kind == "deliver_sends" and job.account == account}
    harmed = any(
        one.outcome != "done" or one.ended - one.started > PERMIT
        for one in books.attempts
        if one.job in permits and since - 3 * PERMIT <= one.started <= until
    )
    stops = [one for one in acts_of(logs, "switch_on", "switch_off") if one.account == account]
    return harmed or _stopped(logs, account, since) or any(since <= one.answered <= until for one in stops)
