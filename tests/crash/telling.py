"""A webhook to a receiver of this test's own, workers to freeze and to kill, and what became of each call."""

import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.base.database import Database
from app.base.settings import Settings
from app.fakes import Call, FakeReceiver, Reply, Script, why_unverified
from app.testing.faults import add_fault, order_of
from app.webhooks import (
    Endpoint,
    NewEndpoint,
    News,
    WholeDelivery,
    add_endpoint,
    announce,
    deliveries_of_release,
    delivery,
)
from tests.crash.scenario import LONG, WorkerUnderTest, is_out
from tests.ledger.makers import Audience, audience_of
from tests.waiting import until

#: Short patience, so that what a dead worker left is taken up soon.
HASTY = {
    "GODWIT_SEND_TIMEOUT": "3",
    "GODWIT_WEBHOOK_TIMEOUT": "3",
    "GODWIT_LEASE": "14",
    "GODWIT_TRUST_WINDOW": "30",
    "GODWIT_EGRESS_ALLOW": "127.0.0.0/8",
}


class Telling:
    """An account with one webhook; releases are announced, workers come and go."""

    def __init__(self, told: Settings, folder: Path) -> None:
        self.web, self.worker = Database.for_role("web"), Database.for_role("worker")
        self.owner = Database(told.database.owner_url, "godwit_owner", 2)
        self.script = Script()
        self.on_call: Callable[[], None] = lambda: None
        self.receiver = FakeReceiver(self._met)
        self.first, self.second = (
            WorkerUnderTest(folder / f"{name}.log", queues="webhooks,housekeeping")
            for name in ("first", "second")
        )
        self.audience: Audience
        self.endpoint: Endpoint
        self.secret = ""

    async def begin(self) -> None:
        """Nobody works yet."""
        await self.receiver.start()
        self.audience = await audience_of(self.web, 0)
        async with self.web.transaction(self.audience.account_id) as tx:
            self.endpoint, self.secret = await add_endpoint(tx, NewEndpoint(f"{self.receiver.url}/hook"))

    async def end(self) -> None:
        """Whoever still works is killed."""
        for worker in (self.first, self.second):
            if worker.process and worker.process.poll() is None:
                worker.kill()
        await self.receiver.stop()
        for database in (self.web, self.worker, self.owner):
            await database.close()

    async def announce(self, release: int) -> None:
        """As publishing does."""
        data = {"release": release, "url": "http://a.localhost/", "changes": []}
        async with self.web.transaction(self.audience.account_id) as tx:
            await announce(tx, News("release.published", data, release=release))

    async def strike(self, kind: str, place: str, at: str) -> None:
        """Let whoever comes to this point of a delivery next be struck, once."""
        match = {"in": place, "job": "deliver_webhook"}
        async with self.web.transaction() as tx:
            await add_fault(tx, order_of({"target": "worker", "kind": kind, "at": at, "match": match}))

    async def struck(self) -> None:
        """Wait until the last fault fired, and whom it hit is dead or stands still."""

        async def fired() -> bool:
            async with self.owner.transaction() as tx:
                last = await tx.row("select fired, pid from mailbox.fault order by id desc limit 1")
            return last is not None and last.fired == 1 and is_out(last.pid)

        await until(fired, seconds=LONG)

    async def lease_for(self, seconds: float) -> None:
        """Let the lease of what is being delivered run so long from now, however slow this machine is."""
        async with self.owner.transaction() as tx:
            moved = await tx.execute(
                "update job set leased_until = clock_timestamp() + make_interval(secs => :seconds)"
                " where kind = 'deliver_webhook' and state = 'leased'",
                seconds=seconds,
            )
        assert moved == 1

    async def becomes(self, release: int, state: str) -> WholeDelivery:
        """Wait until the release's delivery is in this state."""
        return await self._once(release, lambda found: found.line.state == state)

    async def made(self, release: int) -> WholeDelivery:
        """Wait until the release has its number and its delivery."""
        return await self._once(release, lambda found: True)

    async def late(self, release: int) -> WholeDelivery:
        """Wait until a late result of the release's delivery is on record."""
        return await self._once(release, lambda found: any(one.late for one in found.attempts))

    async def _once(self, release: int, fits: Callable[[WholeDelivery], bool]) -> WholeDelivery:
        async def look() -> WholeDelivery | None:
            async with self.web.transaction(self.audience.account_id) as tx:
                lines = await deliveries_of_release(tx, release)
                found = await delivery(tx, lines[0].id) if lines else None
            return found if found and fits(found) else None

        return await until(look, seconds=LONG)

    def wake(self) -> None:
        """The first worker goes on where it froze."""
        assert self.first.process is not None
        self.first.process.send_signal(signal.SIGCONT)

    def sequences(self) -> list[str]:
        """The numbers of the events, in the order in which the calls came."""
        return [call.header("godwit-sequence") for call in self.script.calls]

    def bodies(self) -> Counter[tuple[str, bytes]]:
        """How often each id came, with which octets."""
        return Counter((call.header("webhook-id"), call.body) for call in self.script.calls)

    async def _met(self, call: Call) -> Reply:
        headers: dict[str, Any] = dict(call.headers)
        at = float(call.header("webhook-timestamp"))
        assert why_unverified([self.secret], headers, call.body, at) == "", "W4: every attempt is signed"
        self.on_call()
        return await self.script(call)
