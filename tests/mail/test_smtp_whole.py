"""A broadcast and a sign-in code through real worker loops, over a server that drops at every step."""

import asyncio
from collections import Counter
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
from app.ledger import Figures
from app.mail import current_provider
from app.messages import SignInCode, queue_message
from tests.ledger.makers import audience_of, build, figures_of, mailing_to, working
from tests.mail.smtp_makers import a_server
from tests.waiting import until
from workers import catalog

pytestmark = pytest.mark.anyio
_UNSURE = "select address from send where mailing_id = :mailing and state = 'unknown'"


@pytest.fixture
async def fake(settings_env: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeSmtp]:
    """The server that the settings name; nobody waits for anything longer than two seconds."""
    async with a_server() as made:
        told = {"MAIL_PROVIDER": "smtp", "SMTP_URL": made.url, "SMTP_DOT_TIMEOUT": "2", "SEND_TIMEOUT": "3"}
        for name, value in (told | {"SEND_RATE": "0"}).items():
            monkeypatch.setenv(f"GODWIT_{name}", value)
        settings.cache_clear()
        yield made
        await current_provider().aclose()


async def test_500_readers_over_a_server_that_drops_at_every_step(
    fake: FakeSmtp, web: Database, worker: Database
) -> None:
    """It must show 2 (L1, L4): each at most once; the unsure are those lost after the dot, and listed."""
    before = [
        Fault(step, "drop", every=3 if n < 2 else 31, after=n, times=4)
        for n, step in enumerate(("greeting", "EHLO", "MAIL", "RCPT", "DATA", "body"))
    ]
    after = [
        Fault("end", "drop", every=40, kept=True, times=9),
        Fault("end", "drop", every=47, kept=False, times=7),
        Fault("end", "stall", every=150, kept=True, times=2),
    ]
    fake.order(*before, *after, Fault("end", "say", text="451 4.3.0 Later", every=60, times=5))
    audience = await audience_of(web, 500)
    mailing = await mailing_to(web, audience)
    await build(worker, audience, mailing)

    async def quiet() -> Figures | None:
        found = await figures_of(worker, audience, mailing)
        assert found.sent + found.unknown + found.to_go == 500
        return found if found.to_go == 0 else None

    async with working(worker):
        figures = await until(quiet, seconds=60)
    assert [fault.fired for fault in fake.faults] == [4, 4, 4, 4, 4, 4, 9, 7, 2, 5]
    lost = [address for fault in after for address in fault.hit]
    assert len(lost) == 18
    assert (figures.sent, figures.unknown) == (482, 18)
    async with worker.transaction(audience.account_id) as tx:
        unsure = [row.address for row in await tx.rows(_UNSURE, mailing=mailing)]
    assert sorted(unsure) == sorted(lost)
    copies = Counter(mail.recipient for mail in fake.kept)
    assert max(copies.values()) == 1
    assert len(copies) == 482 + 9 + 2
    assert {mail.recipient for mail in fake.kept if not mail.answered} == {*after[0].hit, *after[2].hit}


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
