"""The books and the logs of a house at one moment, as plain rows: what the checks compare.

A scenario of its own fills the same rows with what it knows; what stays empty is not looked at.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID, uuid5

from app.base.database import Database
from app.messages import CATALOGUE
from app.proof.chaos.asking import Entry
from app.proof.chaos.post_office import opened, taken
from app.proof.chaos.receiver import Heard


class JobRow(NamedTuple):
    """A job. Times are seconds since 1970; `run_in` how far ahead (s) it is due, by the clock people see."""

    id: int
    account: str
    queue: str
    kind: str
    state: str
    attempts: int
    reason: str | None
    run_in: float
    keys: int


class AttemptRow(NamedTuple):
    """One try; `worker` is host:pid:word."""

    job: int
    number: int
    lease: int
    started: float
    ended: float
    outcome: str
    late: bool
    worker: str

    @property
    def pid(self) -> int:
        """The process that made it."""
        return int(self.worker.split(":")[1])


class MailingRow(NamedTuple):
    """A mailing and its broadcast."""

    account: str
    id: UUID
    broadcast: str | None
    state: str
    reason: str | None


class SendRow(NamedTuple):
    """One reader of one mailing."""

    mailing: UUID
    reader: UUID
    address: str | None
    state: str
    batch: UUID | None
    reason: str | None


class BatchRow(NamedTuple):
    """One call to the provider."""

    account: str
    id: UUID
    mailing: UUID
    state: str
    called: float
    size: int = 1


class EventRow(NamedTuple):
    """What happened; `body` None: nobody was told yet. `about_erased`: it named somebody who is gone."""

    account: str
    id: int
    webhook_id: str
    type: str
    release: int | None
    reader: UUID | None
    body: bytes | None
    about_erased: bool
    at: float


class DeliveryRow(NamedTuple):
    """An event for an endpoint; `path` is of the endpoint's address."""

    account: str
    event: int
    path: str
    redelivery: int
    job: int


class EndpointRow(NamedTuple):
    """A webhook that was not deleted; `made` at that time."""

    account: str
    path: str
    state: str
    made: float


class MailRow(NamedTuple):
    """What the provider took, in its own log. `digest` is of all its octets; `batch` nil without one."""

    account: str
    batch: UUID
    delivery: UUID
    kind: str
    to: str
    subject: str
    at: float
    digest: str


@dataclass
class Books:
    """What Godwit has written down."""

    jobs: list[JobRow] = field(default_factory=list[JobRow])
    attempts: list[AttemptRow] = field(default_factory=list[AttemptRow])
    mailings: list[MailingRow] = field(default_factory=list[MailingRow])
    sends: list[SendRow] = field(default_factory=list[SendRow])
    batches: list[BatchRow] = field(default_factory=list[BatchRow])
    tallies: dict[UUID, dict[str, int]] = field(default_factory=dict[UUID, dict[str, int]])
    doubles: set[tuple[UUID, UUID]] = field(default_factory=set[tuple[UUID, UUID]])
    events: list[EventRow] = field(default_factory=list[EventRow])
    deliveries: list[DeliveryRow] = field(default_factory=list[DeliveryRow])
    endpoints: list[EndpointRow] = field(default_factory=list[EndpointRow])
    releases: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    slots: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    """Key and job of each turn of repeated work."""
    repeatable: set[UUID] = field(default_factory=set[UUID])
    """Deliveries of messages that are sent again when nobody knows, as the catalogue says."""
    suppressed: set[UUID] = field(default_factory=set[UUID])
    """Readers who are blocked."""
    without_account: dict[str, int] = field(default_factory=dict[str, int])
    """Rows that the web role saw without an account, by table."""


@dataclass
class Logs:
    """What the world outside has written down, and what people were told."""

    mails: list[MailRow] = field(default_factory=list[MailRow])
    calls: list[Heard] = field(default_factory=list[Heard])
    diary: list[Entry] = field(default_factory=list[Entry])
    frozen: Sequence[tuple[int, float, float]] = ()
    """Processes that stood still: id, from, to."""
    secrets: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Every secret that a webhook ever had, by its path."""
    timeout: float = 3.0
    """Seconds after which a caller hangs up."""
    lease: float = 10.0
    """Seconds for which a job is held at most, unless it says more."""


_EPOCH = "extract(epoch from {})::double precision"
_JOBS = f"""
select j.id, coalesce(a.slug, ''), j.queue, j.kind, j.state, j.attempts, j.reason,
       {_EPOCH.format("j.run_at - godwit_now()")}, (select count(*) from job_key k where k.job_id = j.id)
from job j left join account a on a.id = j.account_id order by j.id
"""
_ATTEMPTS = f"""
select job_id, number, lease, {_EPOCH.format("started_at")}, {_EPOCH.format("ended_at")}, outcome, late,
       worker
from attempt order by job_id, lease, late
"""
_MAILINGS = """
select a.slug, m.id, b.id::text, m.state, m.reason from mailing m join account a on a.id = m.account_id
left join broadcast b on b.account_id = m.account_id and b.mailing_id = m.id order by m.id
"""
_SENDS = "select mailing_id, reader_id, address, state, batch_id, reason from send"
_BATCHES = f"""
select a.slug, b.id, b.mailing_id, b.state, {_EPOCH.format("b.called_at")}, b.size
from batch b join account a on a.id = b.account_id order by b.called_at
"""
_DOUBLED = "select mailing_id, reader_id from possible_double"
_TALLIES = "select mailing_id, state, sum(n)::bigint from tally group by 1, 2"
_EVENTS = f"""
select a.slug, e.id, e.webhook_id, e.type, e.release, e.reader_id, e.body,
       e.reader_id is not null and not exists (
           select from reader r where r.account_id = e.account_id and r.id = e.reader_id),
       {_EPOCH.format("e.created_at")}
from event e join account a on a.id = e.account_id order by e.id
"""
_DELIVERIES = """
select a.slug, d.event_id, regexp_replace(p.url, '^http://[^/]*', ''), d.redelivery, d.job_id
from delivery d join account a on a.id = d.account_id
join endpoint p on p.account_id = d.account_id and p.id = d.endpoint_id
"""
_ENDPOINTS = f"""
select a.slug, regexp_replace(p.url, '^http://[^/]*', ''), p.state, {_EPOCH.format("p.created_at")}
from endpoint p join account a on a.id = p.account_id where p.deleted_at is null
"""
_RELEASES = "select a.slug, r.number from release r join account a on a.id = r.account_id"
_SLOTS = "select k.key, k.job_id from job_key k where k.key like '%@%' and k.account_id = 0"
_SUPPRESSED = """
select r.id from suppression s join reader r on r.account_id = s.account_id and r.email = s.address
"""
_MAILS = f"""
select coalesce(a.slug, ''),
       coalesce(m.batch_id, '00000000-0000-0000-0000-000000000000'), m.delivery_id, m.kind, m.to_address,
       m.subject, {_EPOCH.format("m.received_at")}, m.raw
from mailbox.mail m left join account a on a.id = m.account_id order by m.id
"""
_REPEATABLE = """
select cast(args->>'delivery_id' as uuid) as id from job
where kind = 'send_message' and args->>'mail' = any (cast(:mails as text[]))
"""
_TABLES = """
select c.relname as name from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  and has_table_privilege('godwit_web', c.oid, 'select') order by 1
"""


async def read_books(owner: Database) -> Books:
    """All of it, of one moment."""
    async with owner.transaction(snapshot=True) as tx:
        tallies: dict[UUID, dict[str, int]] = {}
        for mailing, state, n in await tx.rows(_TALLIES):
            tallies.setdefault(mailing, {})[state] = n
        books = Books(
            jobs=[JobRow(*row) for row in await tx.rows(_JOBS)],
            attempts=[AttemptRow(*row) for row in await tx.rows(_ATTEMPTS)],
            mailings=[MailingRow(*row) for row in await tx.rows(_MAILINGS)],
            sends=[SendRow(*row) for row in await tx.rows(_SENDS)],
            batches=[BatchRow(*row) for row in await tx.rows(_BATCHES)],
            tallies=tallies,
            doubles={(row.mailing_id, row.reader_id) for row in await tx.rows(_DOUBLED)},
            events=[EventRow(*row) for row in await tx.rows(_EVENTS)],
            deliveries=[DeliveryRow(*row) for row in await tx.rows(_DELIVERIES)],
            endpoints=[EndpointRow(*row) for row in await tx.rows(_ENDPOINTS)],
            releases={(row[0], row[1]) for row in await tx.rows(_RELEASES)},
            repeatable={row.id for row in await tx.rows(_REPEATABLE, mails=_repeatable())},
            suppressed={row.id for row in await tx.rows(_SUPPRESSED)},
            slots=[(row[0], row[1]) for row in await tx.rows(_SLOTS)],
        )
    books.without_account = await _without_account(owner)
    return books


def _repeatable() -> list[str]:
    return [name for name, entry in CATALOGUE.items() if entry.repeatable]


async def read_mails(owner: Database) -> list[MailRow]:
    """What the mailbox took, doubles included."""
    async with owner.transaction() as tx:
        rows: list[Any] = await tx.rows(_MAILS)
    return [MailRow._make([*row[:-1], hashlib.sha256(row[-1]).hexdigest()]) for row in rows]


def mails_taken(books: Books, log: Path) -> list[MailRow]:
    """What a mail server took. Of a mailing are those that some batch of it names, as the books have it."""
    mailings = {batch.id: batch for batch in books.batches}
    readers: dict[UUID, list[UUID]] = {}
    for send in books.sends:
        readers.setdefault(send.mailing, []).append(send.reader)
    named = {uuid5(b.id, str(reader)): b for b in mailings.values() for reader in readers.get(b.mailing, ())}
    rows = list[MailRow]()
    for mail in taken(log):
        read = opened(mail)
        delivery = UUID(read["delivery"])
        batch = named.get(delivery)
        account, of = (batch.account, batch.id) if batch else ("", UUID(int=0))
        digest = hashlib.sha256(mail.octets).hexdigest()
        rows.append(MailRow(account, of, delivery, read["kind"], mail.to, read["subject"], mail.at, digest))
    return rows


async def _without_account(owner: Database) -> dict[str, int]:
    """As the web's role, in no account's name (T1). Undone with its transaction."""
    async with owner.transaction() as tx:
        names = [row.name for row in await tx.rows(_TABLES)]
        await tx.execute("set local role godwit_web")
        seen = {name: await tx.value(f'select count(*) from "{name}"') for name in names}
        await tx.execute("reset role")
    return {name: n for name, n in seen.items() if n}
