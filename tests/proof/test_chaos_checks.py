"""Each check of chaos can fail: a lie in small made-up books and logs is found by its promise."""

import base64
import inspect
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID, uuid5

import pytest

from app.proof.chaos import CHECKS, Books, Logs, check
from app.proof.chaos.asking import Entry
from app.proof.chaos.books import (
    AttemptRow,
    BatchRow,
    DeliveryRow,
    EndpointRow,
    EventRow,
    JobRow,
    MailingRow,
    MailRow,
    SendRow,
)
from app.proof.chaos.receiver import Heard

ANNA, BEN = UUID(int=1), UUID(int=2)
MAILING, BATCH, OTHER = UUID(int=10), UUID(int=20), UUID(int=21)
STEADY = "/a/steady"


def job(id: int, kind: str = "deliver_webhook", state: str = "done", queue: str = "webhooks") -> JobRow:
    return JobRow(id, "a", queue, kind, state, 1, None, 0.0, 1)


def tried(
    id: int, started: float, ended: float, lease: int = 1, late: bool = False, pid: int = 7
) -> AttemptRow:
    outcome = "lost" if late else "done"
    return AttemptRow(id, 1, lease, started, ended, outcome, late, f"host:{pid}:ab")


def body(release: int) -> bytes:
    return json.dumps({"type": "release.published", "data": {"release": release}}).encode()


def called(release: int, at: float, octets: bytes | None = None, delay: float = 0.0) -> Heard:
    headers = {"webhook-id": f"evt_{release}", "godwit-attempt": "1"}
    told = base64.b64encode(octets or body(release)).decode()
    return Heard(at, STEADY, headers, told, 204, "whole", delay)


def event(release: int) -> EventRow:
    return EventRow(
        "a", release, f"evt_{release}", "release.published", release, None, body(release), False, 50
    )


def delivery(release: int) -> DeliveryRow:
    return DeliveryRow("a", release, STEADY, 0, release)


def mailed(reader: UUID, batch: UUID = BATCH, digest: str = "same") -> MailRow:
    return MailRow("a", batch, uuid5(batch, str(reader)), "broadcast", address(reader), "Hi", 101, digest)


def address(reader: UUID) -> str:
    return f"r{reader.int}@example.org"


def sent(reader: UUID, state: str = "sent", batch: UUID | None = BATCH) -> SendRow:
    return SendRow(MAILING, reader, address(reader), state, batch, None if state == "sent" else "why")


def act(name: str, at: float, **told: object) -> Entry:
    return Entry(name, "a", at, at + 0.1, 200, told)


@dataclass
class Scene:
    """Two releases told one after the other, and a mailing to two readers."""

    books: Books = field(
        default_factory=lambda: Books(
            jobs=[job(1), job(2)],
            attempts=[tried(1, 100, 101), tried(2, 102, 103, lease=2)],
            mailings=[MailingRow("a", MAILING, "b1", "finished", None)],
            sends=[sent(ANNA), sent(BEN)],
            batches=[BatchRow("a", BATCH, MAILING, "accepted", 100)],
            tallies={MAILING: {"sent": 2}},
            events=[event(1), event(2)],
            deliveries=[delivery(1), delivery(2)],
            endpoints=[EndpointRow("a", STEADY, "active", 1)],
            releases={("a", 1), ("a", 2)},
            slots=[("prune jobs@1", 90)],
        )
    )
    logs: Logs = field(
        default_factory=lambda: Logs(
            mails=[mailed(ANNA), mailed(BEN)],
            calls=[called(1, 100.5), called(2, 102.5)],
            diary=[act("broadcast", 90, broadcast="b1", audience=[str(ANNA), str(BEN)])],
        )
    )


def found(scene: Scene) -> set[str]:
    return {finding.promise for finding in check(scene.books, scene.logs)}


def test_books_and_logs_that_fit_show_nothing() -> None:
    assert found(Scene()) == set()


Lie = Callable[[Scene], object]
LIES: list[tuple[str, str, Lie]] = [
    ("E2", "a job is due and nobody is at it", lambda s: s.books.jobs.append(job(3, state="ready"))),
    ("E2", "a job is leased for ever", lambda s: s.books.jobs.append(job(3, state="leased"))),
    ("L8", "a job is held without a word", lambda s: s.books.jobs.append(job(3, state="held"))),
    (
        "E3",
        "two held one job",
        lambda s: s.books.attempts.append(tried(1, 100.5, 102, lease=3)._replace(outcome="retry")),
    ),
    (
        "E4",
        "a lease was settled twice",
        lambda s: s.books.attempts.append(tried(1, 101, 102)._replace(outcome="retry")),
    ),
    ("E4", "a job was done twice", lambda s: s.books.attempts.append(tried(1, 110, 111, lease=9))),
    (
        "E5",
        "a job has two deliveries",
        lambda s: s.books.deliveries.append(delivery(1)._replace(redelivery=1)),
    ),
    ("E5", "an event has two deliveries", lambda s: s.books.deliveries.append(delivery(1)._replace(job=9))),
    ("E8", "a slot has two jobs", lambda s: s.books.slots.append(("prune jobs@1", 91))),
    (
        "E8",
        "a slot was run twice",
        lambda s: s.books.attempts.extend([tried(90, 1, 2, lease=5), tried(90, 3, 4, lease=6)]),
    ),
    ("E2", "an event has no number", lambda s: s.books.events.append(event(3)._replace(body=None))),
    ("E3", "two calls of a lane at once", lambda s: s.logs.calls.__setitem__(0, called(1, 100.5, delay=3))),
    ("E7", "an older one after a newer", lambda s: s.logs.calls.append(called(1, 104))),
    ("L1", "a reader has it twice", lambda s: s.logs.mails.append(mailed(ANNA))),
    ("L1", "the provider lacks one", lambda s: s.logs.mails.pop()),
    ("L2", "a reader is missing", lambda s: s.logs.diary[0].told["audience"].append(str(UUID(int=3)))),
    ("L2", "a reader was skipped", lambda s: s.books.sends.__setitem__(0, sent(ANNA, "skipped", None))),
    (
        "L2",
        "a finished mailing has a copy left",
        lambda s: s.books.sends.append(sent(UUID(int=4), "planned", None)),
    ),
    (
        "L8",
        "a copy failed without a word",
        lambda s: s.books.sends.append(sent(UUID(int=4), "failed")._replace(reason=None)),
    ),
    ("L3", "it went elsewhere", lambda s: s.logs.mails.append(mailed(ANNA)._replace(to="r9@example.org"))),
    ("L3", "it left and counts as failed", lambda s: s.books.sends.__setitem__(0, sent(ANNA, "failed"))),
    ("L3", "nobody claimed it", lambda s: s.logs.mails.append(mailed(UUID(int=9), OTHER))),
    (
        "L4",
        "a call never ended",
        lambda s: s.books.batches.append(BatchRow("a", OTHER, MAILING, "calling", 100)),
    ),
    ("L4", "unknown, and settled", lambda s: s.books.sends.append(sent(UUID(int=4), "unknown"))),
    (
        "L5",
        "claimed after she left",
        lambda s: s.logs.diary.append(act("unsubscribe", 90, email=address(ANNA), reader=str(ANNA))),
    ),
    ("L5", "claimed while mail was stopped", lambda s: s.logs.diary.append(act("switch_on", 90))),
    ("L6", "other bytes", lambda s: s.logs.mails.append(mailed(ANNA, digest="other"))),
    ("L7", "the tally is wrong", lambda s: s.books.tallies.update({MAILING: {"sent": 3}})),
    (
        "M1",
        "a message went twice",
        lambda s: s.logs.mails.extend([MailRow("a", OTHER, OTHER, "message", "x@e", "m", 1, "d")] * 2),
    ),
    (
        "M1",
        "one key, two mails",
        lambda s: s.logs.mails.extend(
            MailRow("a", OTHER, UUID(int=n), "message", "order-1@e", "m", 1, "d") for n in (1, 2)
        ),
    ),
    (
        "M1",
        "one key, two messages",
        lambda s: s.logs.diary.extend(act("message", 1, id=one, key="k") for one in ("1", "2")),
    ),
    (
        "M2",
        "a code waits",
        lambda s: s.books.jobs.append(job(3, state="ready", queue="codes_readers")._replace(run_in=9.0)),
    ),
    ("E2", "a message was promised", lambda s: s.logs.diary.append(act("message", 1, id="77", key="k"))),
    ("W1", "a confirmation nobody told of", lambda s: s.logs.diary.append(act("confirm", 1, email="c@e"))),
    ("W1", "a release nobody told of", lambda s: s.books.releases.add(("a", 3))),
    ("W1", "a call of no event", lambda s: s.logs.calls.append(called(9, 105))),
    ("W1", "a promise of no release", lambda s: s.logs.diary.append(act("publish", 1, release=9))),
    (
        "W1",
        "a reader joined in silence",
        lambda s: s.logs.diary.append(Entry("add_reader", "a", 1, 2, 201, {"reader": str(UUID(int=8))})),
    ),
    (
        "W1",
        "a reader left in silence",
        lambda s: s.logs.diary.append(act("unsubscribe", 200, email="b@e", reader=str(BEN))),
    ),
    ("W1", "told of what never was", lambda s: s.books.releases.remove(("a", 2))),
    ("W1", "an event was not delivered", lambda s: s.books.deliveries.pop()),
    (
        "W1",
        "a webhook was never told anything",
        lambda s: s.books.endpoints.append(EndpointRow("a", "/a/2/steady", "active", 1)),
    ),
    ("W2", "the same id, other bytes", lambda s: s.logs.calls.append(called(2, 102.6, body(2) + b" "))),
    ("W4", "done, but never taken", lambda s: s.logs.calls.pop()),
    ("W4", "a call that is no try", lambda s: s.logs.calls.insert(0, called(1, 99))),
    ("W4", "nobody signed it", lambda s: s.logs.secrets.update({STEADY: ["whsec_c2VjcmV0"]})),
    ("T1", "rows without an account", lambda s: s.books.without_account.update({"reader": 1})),
]


@pytest.mark.parametrize(("promise", "why", "lie"), LIES, ids=[why for _, why, _ in LIES])
def test_a_lie_is_found(promise: str, why: str, lie: Lie) -> None:
    scene = Scene()
    lie(scene)
    assert promise in found(scene), why


def test_every_sentence_of_every_check_is_shown_by_a_lie() -> None:
    """A sentence that nothing can bring about would say of every run that all is well."""
    sources = {inspect.getsource(inspect.getmodule(one)) for one in CHECKS}  # type: ignore[arg-type]
    known = {told for source in sources for told in re.findall(r'found_in\(\s*"(\w+)",\s*"([^"]+)"', source)}
    shown = set[tuple[str, str]]()
    for _, _, lie in LIES:
        scene = Scene()
        lie(scene)
        shown |= {(one.promise, one.sentence.partition(": ")[2]) for one in check(scene.books, scene.logs)}
    assert len(known) > len(CHECKS)
    assert shown == known


def test_a_possible_double_that_the_books_name_is_none() -> None:
    """L1: as far as the provider's record can tell, and never silent."""
    scene = Scene()
    scene.logs.mails.append(mailed(ANNA))
    scene.books.doubles.add((MAILING, ANNA))
    assert found(scene) == set()


def test_an_older_release_after_a_newer_one_is_found_unless_its_process_stood_still() -> None:
    """E7."""
    scene = Scene()
    scene.logs.calls.append(called(1, 104))
    assert found(scene) == {"E7"}
    scene.books.attempts.append(tried(1, 100, 104.5, lease=1, late=True, pid=8))
    scene.logs.frozen = [(8, 100.2, 103.9)]
    assert found(scene) == set()


def test_two_calls_of_one_lane_at_once_are_found() -> None:
    """E3."""
    scene = Scene()
    scene.logs.calls[0] = called(1, 100.5, delay=3)
    assert found(scene) == {"E3"}


@pytest.mark.parametrize("how", ["unsubscribe", "erase"])
def test_a_claim_after_a_reader_left_is_found(how: str) -> None:
    """L5."""
    scene = Scene()
    scene.logs.diary = [act(how, 90, email=address(ANNA), reader=str(ANNA))]
    assert found(scene) == {"L5"} | ({"W1"} if how == "unsubscribe" else set())


def test_a_claim_while_mail_is_stopped_is_found_and_one_after_it_is_none() -> None:
    """L5."""
    scene = Scene()
    stop = act("switch_on", 90)
    scene.logs.diary = [stop]
    assert found(scene) == {"L5"}
    scene.logs.diary = [stop, act("switch_off", 99)]
    assert found(scene) == set()
    scene.logs.diary = [act("pause", 90, broadcast="b1"), act("resume", 101, broadcast="b1")]
    assert found(scene) == {"L5"}


def test_what_is_late_is_no_second_settle() -> None:
    """E4: a result that came after the lease was lost is on record, and nothing else."""
    scene = Scene()
    scene.books.attempts.append(replace_late(tried(1, 100, 105)))
    assert found(scene) == set()


def replace_late(one: AttemptRow) -> AttemptRow:
    return one._replace(late=True)
