"""A sign-in code through a worker's loop, over a server that drops; the rate on SMTP."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from email import message_from_bytes
from typing import Any

import pytest

from app.base.database import Database
from app.base.settings import Settings, settings
from app.fakes import FakeSmtp, Fault
from app.jobs.runner import QueueLoop
from app.mail import current_provider
from app.messages import SignInCode, queue_message
from tests.smtp.makers import a_server, in_settings
from tests.waiting import until
from workers import catalog

pytestmark = pytest.mark.anyio


@pytest.fixture
async def fake(settings_env: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeSmtp]:
    """The server that the settings name; nobody waits for anything longer than two seconds."""
    async with a_server() as made:
        in_settings(made, monkeypatch, SMTP_DOT_TIMEOUT="2", SEND_TIMEOUT="3", SWEEP="0.1")
        yield made
        await current_provider().aclose()


@pytest.mark.parametrize("kept", [False, True])
async def test_a_code_whose_outcome_is_unknown_is_sent_again_the_same_and_arrives(
    fake: FakeSmtp, web: Database, worker: Database, kept: bool
) -> None:
    """It must show 2, M2, L6: harmless twice, useless when lost; the same Message-ID, the same octets."""
    fake.order(Fault("RCPT", "drop"), Fault("end", "drop", kept=kept))
    await queue_code(web)
    async with codes(worker):
        await until(lambda: answered(fake))
    assert len(fake.kept) == 1 + kept
    assert len({mail.raw for mail in fake.kept}) == 1
    assert "123456" in message_from_bytes(fake.kept[0].raw)["Subject"]


async def test_a_code_is_not_sent_for_ever_to_a_server_that_never_answers(
    fake: FakeSmtp, web: Database, worker: Database
) -> None:
    """M2: again twice at most."""
    fake.order(Fault("end", "drop", kept=True, times=None))
    job = await queue_code(web)

    async def given_up() -> bool:
        async with worker.transaction() as tx:
            return await tx.value("select state from job where id = :id", id=job) == "dead"

    async with codes(worker):
        await until(given_up)
    assert len(fake.kept) == 3


async def test_a_broadcast_on_the_mailbox_rate_is_ten_a_second_on_smtp(
    fake: FakeSmtp, monkeypatch: Any
) -> None:
    monkeypatch.delenv("GODWIT_SEND_RATE")
    settings.cache_clear()
    assert settings().sending.rate == 10


async def queue_code(web: Database) -> int | None:
    async with web.transaction() as tx:
        at = await tx.value("select godwit_now()") + timedelta(minutes=10)
        return await queue_message(tx, SignInCode("ana@example.com", "123456", 10, "http://localhost/x", at))


async def answered(fake: FakeSmtp) -> bool:
    return any(mail.answered for mail in fake.kept)


@asynccontextmanager
async def codes(worker: Database) -> AsyncIterator[None]:
    """The loop of sign-in codes, as a worker runs it."""
    catalog.load()
    stopping = False
    loop = QueueLoop(worker, "codes_creators", "tests", lambda: stopping)
    task = asyncio.create_task(loop.run())
    yield
    stopping = True
    loop.wake()
    await task
