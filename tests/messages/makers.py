"""A studio with a program, a provider that answers as it is told, and the queue of messages run by hand."""

from typing import Any
from uuid import UUID

from app import mail
from app.base.database import Database
from app.jobs.runner import QueueLoop, worker_name
from tests.broadcasts.makers import Studio
from tests.waiting import until


class Provider:
    """Answers as it was told, and remembers what it was handed; its record is what it was told too."""

    name = "told"
    batch_limit = 1
    patience = 0.0

    def __init__(self, *answers: mail.Outcome, asked_at_once: bool = False) -> None:
        self.answers = list(answers)
        self.handed: list[mail.Mail] = []
        self.asked_at_once = asked_at_once
        self.record = mail.Record(whole=True, sent=frozenset())
        self.looked_up: list[UUID] = []
        self.probes = 0

    async def deliver(self, mails: Any, **call: Any) -> mail.Outcome:
        self.handed.append(mails[0])
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    async def probe(self) -> mail.Outcome:
        """Let in, or not, as mails are answered just now."""
        self.probes += 1
        return self.answers[0]

    async def look_up(self, batch_id: UUID, delivery_ids: Any, *, call_until: Any) -> mail.Record:
        self.looked_up.append(batch_id)
        return self.record

    def bytes_of(self) -> list[bytes]:
        """Every mail that it was handed, as it went over the wire."""
        return [mail.to_bytes(letter, letter.date) for letter in self.handed if letter.date]


def a_loop(worker: Database, queue: str = "messages") -> QueueLoop:
    """The queue of messages, claimed by hand."""
    return QueueLoop(worker, queue, worker_name(), lambda: False)


async def run(loop: QueueLoop) -> None:
    """One claim, and what it brings."""
    await loop._claim_and_start()

    async def idle() -> bool:
        return not loop.busy

    await until(idle)


GIVEN = {"to": "bo@example.org", "subject": "Your invoice", "text": "Nine euros."}


async def message(studio: Studio, **changed: object) -> str:
    """Asked for by a program; its id."""
    return (await studio.api.post("/messages", json=GIVEN | changed)).json()["id"]


async def told(studio: Studio, message_id: str) -> dict:
    """The message as the API tells of it."""
    return (await studio.api.get(f"/messages/{message_id}")).json()


async def due_now(owner: Database) -> None:
    """Nothing waits for its time any more."""
    async with owner.transaction() as tx:
        await tx.execute("update job set run_at = godwit_now() where state = 'ready'")
