"""What is to slow nobody: an email to very many readers, and webhooks that fail in every way."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

from app.base import ids
from app.base.database import Database
from app.ledger import MailingView
from app.proof.isolation_house import House
from app.proof.publications import mail_all, mailing_of, publication
from app.proof.waiting import seconds_until
from app.webhooks import NewEndpoint, News, add_endpoint, announce, delete_endpoint

_ACCOUNTS = 4
_CHUNK = 1000
#: Asking costs what is measured.
_STEP = 0.25
#: Seconds for a large mailing on a machine that has much else to do.
_LONGEST = 1800.0
_DATA = {"id": "b2e6f0c8-0000-4000-8000-000000000000", "email": "reader@example.org", "name": "A Reader"}
_FAILED = """
select count(*) from attempt where account_id = any (:accounts)
and job_id in (select id from job where account_id = any (:accounts) and kind = 'deliver_webhook')
"""
_DUE = """
select (select count(*) from job where state = 'leased' or state = 'ready' and run_at <= godwit_now())
     + (select count(*) from event where sequence is null)
     + (select count(*) from pg_stat_activity where backend_type = 'autovacuum worker')
"""


@dataclass(frozen=True)
class Failing:
    """Webhooks that fail: each account with the endpoints it has."""

    endpoints: tuple[tuple[int, UUID], ...]

    @classmethod
    async def added(cls, house: House, receiver: int, refusing: int, scene: str) -> "Failing":
        """In each account one that hangs, one that answers 500 slowly, one that refuses; all is announced."""
        urls = (f"{receiver}/hang", f"{receiver}/slow", f"{refusing}/")
        endpoints: list[tuple[int, UUID]] = []
        for n in range(_ACCOUNTS):
            account = await publication(house.web, f"failing{n}-{scene}")
            async with house.web.transaction(account) as tx:
                for url in urls:
                    new = NewEndpoint(f"http://127.0.0.1:{url}", ("reader.subscribed",), id=ids.new())
                    endpoints.append((account, (await add_endpoint(tx, new))[0].id))
            left = -(-house.failing // (_ACCOUNTS * len(urls)))
            for start in range(0, left, _CHUNK):
                async with house.web.transaction(account) as tx:
                    await announce(tx, *[News("reader.subscribed", _DATA)] * min(_CHUNK, left - start))
        return cls(tuple(endpoints))

    async def tries(self, owner: Database) -> int:
        """Calls that failed so far."""
        async with owner.transaction() as tx:
            return await tx.value(_FAILED, accounts=[account for account, _ in self.endpoints])

    async def deleted(self, house: House) -> None:
        """None of it waits any more."""
        for account, one in self.endpoints:
            async with house.web.transaction(account) as tx:
                await delete_endpoint(tx, one)


@dataclass(frozen=True)
class Copies:
    """So many copies of an email accepted in so many seconds, after its first."""

    sent: int
    seconds: float

    @property
    def per_second(self) -> float:
        return self.sent / self.seconds


@dataclass(frozen=True)
class Press:
    """An email to everybody of the large publication, under way."""

    house: House
    broadcast: UUID

    @classmethod
    async def made(cls, house: House, title: str) -> "Press":
        """Press."""
        return cls(house, await mail_all(house.web, house.large, title))

    async def copies(self, ended: Callable[[], bool] = lambda: False) -> Copies:
        """How fast they go from the first until the last, or until it has ended elsewhere."""

        async def begun() -> bool:
            return bool((await self._view()).figures.sent)

        await seconds_until(begun, "the first copy of the large mailing", step=_STEP)
        first, began = (await self._view()).figures.sent, time.monotonic()
        told: list[tuple[int, float]] = []

        async def over() -> bool:
            view = await self._view()
            told.append((view.figures.sent, time.monotonic()))
            return view.state == "finished" or ended()

        await seconds_until(over, "the last copy of the large mailing", step=_STEP, longest=_LONGEST)
        return Copies(told[-1][0] - first, max(_STEP, told[-1][1] - began))

    async def finished(self) -> None:
        """Everybody was mailed."""

        async def over() -> bool:
            return (await self._view()).state == "finished"

        await seconds_until(over, "the end of the large mailing", step=_STEP, longest=_LONGEST)

    async def _view(self) -> MailingView:
        return await mailing_of(self.house.web, self.house.large, self.broadcast)


async def calm(owner: Database, seconds: float) -> None:
    """Nothing is due, in hand, or cleaned up after, for so many seconds."""
    since = time.monotonic()

    async def still() -> bool:
        nonlocal since
        async with owner.transaction() as tx:
            if await tx.value(_DUE):
                since = time.monotonic()
        return time.monotonic() - since >= seconds

    await seconds_until(still, "a house in which nothing is due", step=_STEP)
    async with owner.transaction() as tx:
        await tx.execute("truncate mailbox.mail")
        await tx.execute("checkpoint")


@contextmanager
def refusing() -> Iterator[int]:
    """A port at which nobody listens and nobody will."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]
