"""The web process is killed, or freezes, before it commits, and between its commit and the ring (E1, E2)."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from redis import asyncio as aioredis

from app.base.settings import settings
from app.cli import ports
from app.cli.services import Services
from tests.accounts.makers import open_account
from tests.crash.scenario import LONG, ROOT, copies
from tests.crash.yard import Yard
from tests.waiting import until
from tests.web_server import browser

EMAIL = "ana@example.com"
_CODES = "select count(*) from creator_code"
_JOBS = "select count(*) from job where kind = 'send_creator_code'"


@dataclass
class WebUnderTest:
    """`godwit web` as a process of its own."""

    process: subprocess.Popen[bytes]
    address: str

    def send(self, number: signal.Signals) -> None:
        """A signal."""
        self.process.send_signal(number)

    async def press(self) -> None:
        """Ana asks for a sign-in code; whether she is answered is another matter."""
        with contextlib.suppress(httpx.TransportError):
            async with browser(self.address, timeout=60) as ana:
                await ana.post("/sign-in", data={"email": EMAIL})


@contextlib.contextmanager
def web_process(folder: Path) -> Iterator[WebUnderTest]:
    """Started, not yet listening; killed at the end if it still runs."""
    port = ports.choose()
    command = [sys.executable, "-m", "app.cli", "web", "--port", str(port)]
    with (folder / "web.log").open("ab") as log:
        process = subprocess.Popen(command, cwd=ROOT, stderr=log, env=dict(os.environ))
    try:
        yield WebUnderTest(process, f"http://127.0.0.1:{port}")
    finally:
        process.kill()
        process.wait()


@contextlib.asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[WebUnderTest]:
    """Once it answers."""
    with web_process(folder) as web:

        async def answers() -> bool:
            with contextlib.suppress(httpx.TransportError):
                async with browser(web.address) as anyone:
                    return (await anyone.get("/healthz")).status_code == 200
            return False

        await until(answers, seconds=LONG)
        yield web


@pytest.fixture
async def ana(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> Yard:
    """An account of Ana's; the worker for codes looks by itself each second."""
    monkeypatch.setenv("GODWIT_SWEEP", "1")
    settings.cache_clear()
    await open_account(yard.web, EMAIL, "ana")
    return yard


async def test_killed_before_its_commit_neither_the_code_nor_its_mail_exists(ana: Yard) -> None:
    """E1: the code was written, its job about to be; what nobody committed was never there."""
    async with serving(ana.folder) as web:
        async with ana.owner.transaction() as tx:
            await tx.execute("set local idle_in_transaction_session_timeout = 0")
            await tx.execute("lock table job in share row exclusive mode")
            asking = asyncio.create_task(web.press())
            await ana.waiting("%", role="godwit_web")
            web.send(signal.SIGKILL)
            await asking
        await ana.nobody_writes("godwit_web")
    assert (await ana.asked(_CODES), await ana.asked(_JOBS)) == (0, 0)
    hand = ana.hire("codes_creators", module="workers")
    async with serving(ana.folder) as web:
        await web.press()
        await until(lambda: copies(ana.owner), seconds=LONG)
    assert await hand.stop() == 0
    assert await copies(ana.owner) == {EMAIL: 1}


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGSTOP])
async def test_struck_between_its_commit_and_the_ring_the_mail_goes_all_the_same(
    ana: Yard, services: Services, sign: signal.Signals
) -> None:
    """E2: Redis took the first half of the ring, nobody sent the second: the bell is deaf now."""
    hand = ana.hire("codes_creators", module="workers")
    await hand.says("worker_started")
    async with serving(ana.folder) as web, aioredis.from_url(services.redis_url) as redis:
        server = int((await redis.info())["process_id"])
        os.kill(server, signal.SIGSTOP)
        try:
            asking = asyncio.create_task(web.press())
            await ana.becomes(_JOBS)
            web.send(sign)
        finally:
            os.kill(server, signal.SIGCONT)
        await until(lambda: copies(ana.owner), seconds=LONG)
        assert await ana.asked(_CODES) == 1
        if sign == signal.SIGSTOP:
            web.send(signal.SIGCONT)
        await asking
    assert await hand.stop() == 0
    assert await copies(ana.owner) == {EMAIL: 1}
