"""An account with readers, a mailing to them, and workers' loops to run it, in a line each."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID, uuid4

from app.audiences import select_readers
from app.base import ids
from app.base.database import Database
from app.base.fields import blank, mark
from app.base.telemetry import log
from app.jobs import Work, enqueue
from app.jobs.leases import claim
from app.jobs.registry import ClaimedJob
from app.jobs.runner import QueueLoop
from app.ledger import Figures, NewMailing, delivery, feed, mailing_view, record_chunk, start_mailing, sweep
from app.ledger.feeder import DeliverSends
from app.mail import Accepted, Mail, Outcome, Record, Unknown
from workers import catalog

_OPEN = "select open_account(:slug, 'Tidelines', '', :creator, :newsletter)"
_READERS = """
insert into reader (account_id, id, email, name, source)
select :account, gen_random_uuid(), cast(:prefix as text) || n || '@example.com', 'Reader ' || n, 'import'
from generate_series(1, :n) n
"""
_SUBSCRIBED = """
insert into subscription (account_id, reader_id, newsletter_id, state, consent_source, consent_at)
select account_id, id, :newsletter, 'active', 'test', now() from reader
where account_id = :account and email like cast(:prefix as text) || '%'
"""
_DUE = "select distinct queue from job where state = 'ready' and run_at <= clock_timestamp()"


@dataclass(frozen=True)
class Audience:
    """An account with subscribed readers."""

    account_id: int
    newsletter_id: UUID


async def audience_of(web: Database, n: int) -> Audience:
    """A fresh account with `n` readers who may be mailed."""
    creator, newsletter = ids.new(), ids.new()
    async with web.transaction() as tx:
        await tx.execute(
            "insert into creator (id, email, name) values (:id, :email, 'Ana')",
            id=creator,
            email=f"{creator.hex}@example.org",
        )
        account = await tx.value(_OPEN, slug=f"a{uuid4().hex[:10]}", creator=creator, newsletter=newsletter)
    audience = Audience(account, newsletter)
    await joined(web, audience, "r", n)
    return audience


async def joined(web: Database, audience: Audience, prefix: str, n: int) -> None:
    """`n` more readers who may be mailed, at {prefix}1@example.com and so on."""
    where = {"account": audience.account_id, "prefix": prefix}
    async with web.transaction(audience.account_id) as tx:
        await tx.execute(_READERS, n=n, **where)
        await tx.execute(_SUBSCRIBED, newsletter=audience.newsletter_id, **where)


async def mailing_to(
    web: Database, audience: Audience, *, wait: int = 0, on_change: str | None = None
) -> UUID:
    """A mailing just started."""
    async with web.transaction(audience.account_id) as tx:
        begun = await start_mailing(
            tx,
            NewMailing(
                source_kind="test",
                source_id=ids.new(),
                newsletter_id=audience.newsletter_id,
                sender="Tidelines <letters@example.org>",
                reply_to=None,
                subject="News",
                text=mark('Hello {first_name, "friend"}') + " " + blank("unsubscribe_url"),
                html="<p>Hello</p>",
                site_url="http://tidelines.localhost",
                wait=wait,
                on_change=on_change,
            ),
        )
    return begun.id


async def build(worker: Database, audience: Audience, mailing_id: UUID, *, chunk: int = 5000) -> None:
    """Record the whole audience."""
    done = False
    while not done:
        async with worker.transaction(audience.account_id) as tx:
            recorded = await record_chunk(tx, mailing_id, select_readers(audience.newsletter_id), chunk=chunk)
            done = recorded.done


async def figures_of(worker: Database, audience: Audience, mailing_id: UUID) -> Figures:
    """The figures as the page tells them."""
    async with worker.transaction(audience.account_id) as tx:
        view = await mailing_view(tx, mailing_id)
    assert view is not None
    return view.figures


async def state_of(worker: Database, audience: Audience, mailing_id: UUID) -> str:
    """The mailing's state."""
    async with worker.transaction(audience.account_id) as tx:
        view = await mailing_view(tx, mailing_id)
    assert view is not None
    return view.state


@dataclass
class Told:
    """A provider in this process that does as it is told and remembers what it took."""

    answer: Callable[[list[Mail]], Outcome] = lambda mails: Accepted()
    keep: Callable[[list[Mail]], bool] = lambda mails: True
    taken: list[Mail] = field(default_factory=list)
    name: str = "mailbox"
    batch_limit: int = 1000
    asked_at_once: bool = True
    has_record: bool = True
    patience: float = 0.0

    async def deliver(
        self, mails: list[Mail], *, batch_id: UUID, call_until: datetime, deadline: float | None = None
    ) -> Outcome:
        """Keep the mails if told to, and answer as told."""
        if self.keep(mails):
            self.taken += mails
        return self.answer(mails)

    async def look_up(self, batch_id: UUID, delivery_ids: list[UUID], *, call_until: datetime) -> Record:
        """What was kept, whole."""
        kept = {mail.delivery_id for mail in self.taken}
        return Record(whole=True, sent=frozenset(kept & set(delivery_ids)))

    async def probe(self) -> Outcome:
        """It is always there."""
        return Accepted()

    def hurry(self, seconds: float) -> None:
        """It never takes long."""

    async def aclose(self) -> None:
        """Nothing to give back."""


@asynccontextmanager
async def working(
    worker: Database, queues: Sequence[str] = ("build", "sends", "housekeeping")
) -> AsyncIterator[None]:
    """Run the loops and timers of a worker in this process, as workers/ does."""
    catalog.load()
    stopping = False
    loops = {queue: QueueLoop(worker, queue, "tests", lambda: stopping) for queue in queues}

    async def repeat() -> None:
        while True:
            try:
                rung = await feed(worker) | await sweep(worker)
                async with worker.transaction() as tx:  # for the bell, which nobody hears here
                    rung |= {row.queue for row in await tx.rows(_DUE)}
            except Exception as error:  # as in workers/process: the next round repairs this one
                log.warning("timer_failed", error=repr(error))
            else:
                for queue in rung & loops.keys():
                    loops[queue].wake()
            await asyncio.sleep(0.05)

    tasks = [asyncio.create_task(loop.run()) for loop in loops.values()]
    timer = asyncio.create_task(repeat())
    try:
        yield
    finally:
        stopping = True
        timer.cancel()
        with suppress(asyncio.CancelledError):
            await timer
        for loop in loops.values():
            loop.wake()
        await asyncio.gather(*tasks)


async def permit(worker: Database, audience: Audience, args: object) -> Work:
    """A leased permit in hand, as a loop gives it to the handler."""
    async with worker.transaction(audience.account_id) as tx:
        await enqueue(tx, args)
    async with worker.transaction() as tx:
        rows = await claim(
            tx,
            queue="sends",
            kinds={"deliver_sends": 1},
            worker="tests",
            after="",
            wanted=1,
            per_share=4,
            most_leases=50,
        )
    return Work(worker, ClaimedJob(*rows[0][:-1]), lambda: False)


async def started(web: Database, worker: Database, n: int) -> tuple[Audience, UUID]:
    """A mailing whose audience is read."""
    audience = await audience_of(web, n)
    mailing = await mailing_to(web, audience)
    await build(worker, audience, mailing)
    return audience, mailing


async def handed(worker: Database, audience: Audience, mailing: UUID, n: int, outcome, provider=None):
    """One call for `n` copies that ends with `outcome`."""
    provider = provider or Told(answer=lambda mails: outcome)
    work = await permit(worker, audience, DeliverSends(mailing, n))
    batch = await delivery.claim(work, DeliverSends(mailing, n), provider)
    assert batch is not None
    await delivery.settle(work, batch, await delivery.talk(batch, provider), provider)
    return batch


async def lost(worker: Database, audience: Audience) -> None:
    """Every call without an answer is past its time."""
    async with worker.transaction(audience.account_id) as tx:
        await tx.execute("update batch set call_until = clock_timestamp() - interval '1 second'")
    await sweep(worker)


async def unsure(web: Database, worker: Database, n: int) -> tuple[Audience, UUID, list[UUID]]:
    """A mailing all of whose copies are unknown, and its readers."""
    audience, mailing = await started(web, worker, n)
    batch = await handed(worker, audience, mailing, n, Unknown("no answer"))
    assert (await figures_of(worker, audience, mailing)).unknown == n
    return audience, mailing, [blanks.reader_id for blanks in batch.blanks]
