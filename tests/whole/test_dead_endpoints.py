"""E10: endpoints that hang, many and of several accounts, hold up nobody else's deliveries."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from app import egress, webhooks
from app.base.database import Database
from app.base.settings import Settings, settings
from app.fakes import FakeReceiver, Script
from app.jobs.runner import QueueLoop
from tests.jobs.makers import working
from tests.waiting import until
from tests.webhooks.makers import an_account, an_endpoint, rows, tell
from workers import catalog

ACCOUNTS, ENDPOINTS, EVENTS = range(101, 107), 50, 4


@pytest.fixture
def loopback_allowed(settings_env: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GODWIT_EGRESS_ALLOW", "127.0.0.1/32")
    monkeypatch.setenv("GODWIT_SWEEP", "0.1")
    settings.cache_clear()
    catalog.load()


@asynccontextmanager
async def receiver(script: Script) -> AsyncIterator[str]:
    """A real server that does as it is told; its address."""
    server = FakeReceiver(script)
    await server.start()
    yield server.url
    await server.stop()


@asynccontextmanager
async def at_work(worker: Database) -> AsyncIterator[QueueLoop]:
    """A worker of webhooks; what hangs is cut at the end."""
    async with working(worker, "webhooks") as loop:
        yield loop
        for task in loop._running:
            task.cancel()
    await egress.client().close()


@pytest.mark.usefixtures("loopback_allowed")
async def test_six_accounts_with_fifty_hanging_endpoints_each_hold_up_no_other(
    web: Database, worker: Database, owner: Database
) -> None:
    """From the announcement to the call, fan-out and all, of an account that nobody has met before."""
    hanging, answers = Script(delay=60), Script()
    async with receiver(hanging) as dead, receiver(answers) as alive, at_work(worker):
        for account in ACCOUNTS:
            await an_account(owner, account, f"dead-{account}")
            async with web.transaction(account) as tx:
                for n in range(ENDPOINTS):
                    url = f"{dead}/{account}/{n}"
                    await webhooks.add_endpoint(tx, webhooks.NewEndpoint(url, ("*",)))
            for _ in range(EVENTS):
                await tell(web, account=account)

        async def full_of_them() -> bool:
            [ordered] = await rows(owner, "select count(*) as n from delivery")
            return ordered.n == len(ACCOUNTS) * ENDPOINTS * EVENTS and len(hanging.calls) >= 100

        await until(full_of_them)
        await an_account(owner)
        await an_endpoint(web, url=alive)
        for wanted in range(1, 6):
            began = time.monotonic()
            await tell(web)

            async def came(wanted: int = wanted) -> bool:
                return len(answers.calls) == wanted

            await until(came)
            assert time.monotonic() - began < 2
