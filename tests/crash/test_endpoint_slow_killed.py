"""Webhooks that hang, drip and dawdle beside one that works; workers die: each gets all of it (E10)."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from app.fakes import Call, FakeReceiver, Reply
from app.webhooks import NewEndpoint, News, add_endpoint, announce
from tests.crash.crew import Stage, Terms
from tests.ledger.makers import audience_of

pytestmark = pytest.mark.anyio
TERMS = Terms("webhooks,housekeeping", {"EGRESS_ALLOW": "127.0.0.0/8", "WEBHOOK_TIMEOUT": "2"})
EVENTS = 12
_ALL = "select count(*) from job where account_id = :account and kind = 'deliver_webhook' and state = 'done'"
_LATER = "update job set run_at = godwit_now() where account_id = :account and state = 'ready'"


class Ears:
    """Four receivers that log to disk what they take: `well`, `slow`, `hangs`, and `drips`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.mended = False
        self.http = {name: FakeReceiver(self._of(name)) for name in ("well", "slow", "hangs", "drips")}
        self.urls: dict[str, str] = {}
        self._dripping: asyncio.Server | None = None

    async def start(self) -> None:
        """All listen; who drips does so before its answer has a head."""
        for name, receiver in self.http.items():
            await receiver.start()
            self.urls[name] = f"{receiver.url}/hook"
        self._dripping = await asyncio.start_server(self._drip, "127.0.0.1", 0)
        port = self._dripping.sockets[0].getsockname()[1]
        self.urls["drips"] = f"http://127.0.0.1:{port}/hook"

    async def stop(self) -> None:
        """All hang up."""
        assert self._dripping is not None
        self._dripping.close()
        for receiver in self.http.values():
            await receiver.stop()

    def _of(self, name: str):
        async def met(call: Call) -> Reply:
            with (self._folder / name).open("a") as log:
                print(call.header("webhook-id"), hash(call.body), file=log)
            if name == "hangs" and not self.mended:
                return Reply(ending="hang")
            return Reply(200, delay=0.5 if name == "slow" else 0.0)

        return met

    async def _drip(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Mended, it is the receiver behind it."""
        with suppress(OSError):
            if self.mended:
                await self._through(reader, writer)
            else:
                writer.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                while not reader.at_eof():
                    writer.write(b"z")
                    await writer.drain()
                    with suppress(TimeoutError):
                        await asyncio.wait_for(reader.read(65536), 0.2)
        writer.close()

    async def _through(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        theirs, ours = await asyncio.open_connection("127.0.0.1", self.http["drips"].port)

        async def pass_on(of: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
            while octets := await of.read(65536):
                to.write(octets)
                await to.drain()
            to.close()

        await asyncio.gather(pass_on(reader, ours), pass_on(theirs, writer))

    def came(self, name: str) -> Counter[str]:
        """How often each event came, with the same octets each time."""
        log = self._folder / name
        lines = log.read_text().splitlines() if log.exists() else []
        assert len({line.split()[0] for line in lines}) == len(set(lines)), "W2: one id, one body"
        return Counter(line.split()[0] for line in lines)


@pytest.fixture
async def ears(tmp_path: Path) -> AsyncIterator[Ears]:
    made = Ears(tmp_path)
    await made.start()
    yield made
    await made.stop()


@pytest.mark.parametrize(("place", "at"), [("jobs", "after_claim"), ("webhooks", "after_talk")])
async def test_workers_die_beside_receivers_that_hang_drip_and_dawdle(
    stage: Stage, ears: Ears, place: str, at: str
) -> None:
    """E10, E2, W2: whoever works has all of it while the others do not; mended, they have all of it too."""
    audience = await audience_of(stage.web, 0)
    account = audience.account_id
    async with stage.web.transaction(account) as tx:
        for url in ears.urls.values():
            await add_endpoint(tx, NewEndpoint(url))
    await stage.strike("kill", place, at, "deliver_webhook", times=2, after=5)
    async with stage.web.transaction(account) as tx:
        await announce(tx, *(News("reader.confirmed", {"n": n}) for n in range(EVENTS)))
    await stage.all_struck(2)

    async def well_served() -> bool:
        return len(ears.came("well")) == len(ears.came("slow")) == EVENTS

    await stage.all_of(well_served)
    assert not ears.came("drips")
    ears.mended = True

    async def all_served() -> bool:
        async with stage.owner.transaction() as tx:
            await tx.execute(_LATER, account=account)
            return await tx.value(_ALL, account=account) == 4 * EVENTS

    await stage.all_of(all_served)
    assert all(len(ears.came(name)) == EVENTS for name in ears.urls)
