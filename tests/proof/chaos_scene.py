"""Small made-up books and logs of chaos, and what can be told in them."""

import base64
import json
from dataclasses import dataclass, field
from uuid import UUID, uuid5

from app.proof.chaos import Books, Logs, check
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


def retried(scene: Scene, outcome: str, number: int) -> None:
    """Job 1 was tried before, with this outcome; the try that ended it is of that number."""
    first = scene.books.attempts[0]
    scene.books.attempts[0] = first._replace(lease=9, number=number)
    scene.books.attempts.append(first._replace(lease=1, started=98, ended=99, outcome=outcome))
    scene.books.jobs[0] = job(1)._replace(attempts=number)


def lost(id: int, started: float, ended: float) -> AttemptRow:
    return tried(id, started, ended, lease=0)._replace(outcome="lost", number=0)


def passed_by(scene: Scene, n: int, own: int = 0) -> None:
    """A permit of a, older than `n` of b that were begun before it, and than so many of its own."""
    permits = [(100, "a"), *((101 + k, "b") for k in range(n)), *((101 + n + k, "a") for k in range(own))]
    for id, account in permits:
        lease = 1000 if id == 100 else id
        scene.books.jobs.append(job(id, "deliver_sends", queue="sends")._replace(account=account))
        scene.books.attempts.append(tried(id, 200 + lease, 201 + lease, lease=lease))


def handed_meanwhile(n: int) -> list[BatchRow]:
    """Between two calls of one mailing, so many copies of another publication."""
    other = BatchRow("b", UUID(int=30), UUID(int=11), "accepted", 105, n)
    return [other, BatchRow("a", OTHER, MAILING, "accepted", 110)]


def asked_for(scene: Scene, state: str, reason: str | None = None) -> None:
    """A message that a program asked for ended so."""
    made = job(5, "send_message", state, "messages")
    scene.books.jobs.append(made._replace(reason=reason))
    scene.logs.diary.append(act("message", 1, id="5", key="k"))


def left_behind(scene: Scene) -> MailingRow:
    """A mailing under way, a copy of which is planned."""
    scene.books.sends.append(SendRow(UUID(int=12), ANNA, None, "planned", None, None))
    scene.books.tallies[UUID(int=12)] = {"planned": 1}
    return MailingRow("a", UUID(int=12), None, "sending", None)
