"""Promises of webhooks and lanes (E3, E7, W): one function each, on rows alone."""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

from app.fakes import why_unverified
from app.proof.chaos.books import AttemptRow, Books, Logs
from app.proof.chaos.findings import (
    APART,
    Finding,
    acts_of,
    deliveries_of,
    found_in,
    id_of,
    tries_of,
    words_of,
)
from app.proof.chaos.people import STEADY
from app.proof.chaos.receiver import Heard


def one_of_a_lane(books: Books, logs: Logs) -> list[Finding]:
    """E3: a receiver is never told of two releases at once, but by a process that stood still."""
    found: list[tuple[str, ...]] = []
    for path, calls in _announced(books, logs).items():
        for before, after in pairwise(calls):
            takes = logs.timeout if before.call.ending == "hang" else before.call.delay
            # Who came late on the wire waits less: its time began before it was heard.
            until = min(before.call.at + takes, before.over)
            if after.call.at < until - APART and not (before.excused or after.excused):
                found.append((path, *(one.words for one in (before, after))))
    return found_in("E3", "calls of one lane overlap at the receiver", found)


def newest_last(books: Books, logs: Logs) -> list[Finding]:
    """E7: nobody is told of an older release after a newer one, but by a process that stood still."""
    found: list[tuple[str, ...]] = []
    for path, calls in _announced(books, logs).items():
        newest: _Told | None = None
        for one in calls:
            if newest is not None and one.release < newest.release and not one.excused:
                found.append((path, newest.words, one.words))
            newest = one if newest is None or one.release > newest.release else newest
    return found_in("E7", "an older release was begun after a newer one", found)


def only_what_happened(books: Books, logs: Logs) -> list[Finding]:
    """W1: every release is announced once, nothing else is, and what a program was told did happen."""
    told = Counter((one.account, one.release) for one in books.events if one.type == "release.published")
    known = {one.webhook_id for one in books.events}
    promised = {
        (one.account, one.told["release"])
        for one in acts_of(logs, "publish", "restore", "unpublish")
        if one.done and one.told.get("release")
    }
    subscribed = {one.reader for one in books.events if one.type == "reader.subscribed"}
    joined = [one for one in acts_of(logs, "add_reader") if one.status == 201]
    lost = [one for one in joined if UUID(one.told["reader"]) not in subscribed] if books.events else []
    gone = {entry.told.get("reader") for entry in acts_of(logs, "erase")}
    return [
        *found_in("W1", "releases are not announced once", [one for one in books.releases if told[one] != 1]),
        *found_in(
            "W1",
            "releases are announced that are not there",
            [one for one in told if one not in books.releases],
        ),
        *found_in("W1", "releases were promised that are not there", promised - books.releases),
        *found_in(
            "W1", "readers joined without a word", [one for one in lost if one.told["reader"] not in gone]
        ),
        *found_in(
            "W1",
            "calls tell of events that are not there",
            [words_of(c) for c in logs.calls if id_of(c) not in known],
        ),
    ]


def readers_are_told_of(books: Books, logs: Logs) -> list[Finding]:
    """W1: whoever was told that they are confirmed, or gone, is announced so, once."""
    gone = Counter(str(one.reader) for one in books.events if one.type == "reader.unsubscribed")
    bodies = [one.body or b"" for one in books.events if one.type == "reader.confirmed"]
    confirmed = [
        (entry.told["email"], n)
        for entry in acts_of(logs, "confirm")
        if entry.done and (n := sum(_of(entry.told["email"]) in body for body in bodies)) != 1
    ]
    left = [
        (entry.told["email"], gone[entry.told["reader"]])
        for entry in acts_of(logs, "unsubscribe")
        if entry.done and gone[entry.told["reader"]] != 1
    ]
    return [
        *found_in("W1", "confirmed readers are not announced once", confirmed),
        *found_in("W1", "readers who left are not announced once", left),
    ]


def _of(address: str) -> bytes:
    return f'"{address}"'.encode()


def everybody_is_told(books: Books, logs: Logs) -> list[Finding]:
    """W1, E2: every event is numbered, and delivered to a webhook that was on; done is what was taken."""
    state = {job.id: job.state for job in books.jobs}
    ids = {(one.account, one.id): one.webhook_id for one in books.events}
    taken = {(id_of(call), call.path) for call in logs.calls if call.taken}
    steady = [one for one in books.endpoints if STEADY in one.path and one.state == "active"]
    made = {(one.account, one.event, one.path) for one in books.deliveries}
    untold = [
        (one.account, one.id, one.type, endpoint.path)
        for one in books.events
        for endpoint in steady
        if endpoint.account == one.account
        and one.type != "endpoint.test"
        and one.at > endpoint.made
        and (one.account, one.id, endpoint.path) not in made
    ]
    false = [
        one
        for one in books.deliveries
        if state.get(one.job) == "done" and (ids[one.account, one.event], one.path) not in taken
    ]
    return [
        *found_in(
            "E2", "events wait for their number", [one[:5] for one in books.events if one.body is None]
        ),
        *found_in("W1", "events were not delivered to a webhook that was on", untold),
        *found_in("W4", "deliveries are done that the receiver never took", false),
    ]


def the_same_event(books: Books, logs: Logs) -> list[Finding]:
    """W2: one id, one body: at every try, at every endpoint, as it stands in the books."""
    bodies = defaultdict[str, set[bytes]](set)
    for call in logs.calls:
        bodies[id_of(call)].add(call.octets)
    frozen = {
        one.webhook_id: one.body for one in books.events if one.body is not None and not one.about_erased
    }
    gone = {one.webhook_id for one in books.events if one.about_erased}
    other = [one for one, told in bodies.items() if one in frozen and told != {frozen[one]}]
    many = [one for one, told in bodies.items() if len(told) > 1 and one not in gone]
    return found_in("W2", "an event was told in two ways", sorted({*other, *many}))


def signed_and_on_record(books: Books, logs: Logs) -> list[Finding]:
    """W4: every call is signed by a secret of its webhook, and is a try in the books."""
    unsigned = [
        f"{words_of(call)}: {why}"
        for call in logs.calls
        if (secrets := logs.secrets.get(call.path))
        and (why := why_unverified(secrets, call.headers, call.octets, call.at))
    ]
    tried = deliveries_of(books)
    tries = tries_of(books)
    unknown = [
        words_of(call)
        for call in logs.calls
        if not any(
            one.started - APART <= call.at
            for delivery in tried.get((id_of(call), call.path), ())
            for one in tries[delivery.job]
        )
    ]
    return [
        *found_in("W4", "calls are not signed", unsigned),
        *found_in("W4", "calls are not on record", unknown),
    ]


@dataclass(frozen=True)
class _Told:
    """One announcement of a release. `excused`: the process that made it stood still, its lease is lost.

    `over`: when its caller had hung up without an answer, and wrote that down; endless when it has not.
    """

    call: Heard
    release: int
    excused: bool
    over: float

    @property
    def words(self) -> str:
        return f"release {self.release}: {words_of(self.call)}"


def _announced(books: Books, logs: Logs) -> dict[str, list[_Told]]:
    """By path, the announcements of releases in the order in which they came, without redeliveries."""
    tried, tries = deliveries_of(books), tries_of(books)
    told = defaultdict[str, list[_Told]](list)
    for call in logs.calls:
        if "godwit-redelivery" in call.headers:
            continue
        body = json.loads(call.octets)
        if body["type"] == "release.published":
            made = [
                one
                for d in tried.get((id_of(call), call.path), ())
                if not d.redelivery
                for one in tries[d.job]
            ]
            excused = any(_stood_still(one, call, logs) for one in made)
            told[call.path].append(_Told(call, body["data"]["release"], excused, _over(made, call)))
    return told


def _over(made: Sequence[AttemptRow], call: Heard) -> float:
    own = [
        one.ended
        for one in made
        if one.started - APART <= call.at <= one.ended + APART and not one.late and one.outcome == "retry"
    ]
    return min(own, default=float("inf"))


def _stood_still(one: AttemptRow, call: Heard, logs: Logs) -> bool:
    """Whether a try may have made this call after its process stood still for longer than its lease ran."""
    lost = one.late or one.outcome == "lost"
    return (
        lost
        and one.started - APART <= call.at
        and any(
            pid == one.pid and since < call.at and until > one.started for pid, since, until in logs.frozen
        )
    )
