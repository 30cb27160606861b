"""Every provider keeps the same promises (app.mail): the suite over each of them."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from app.base.database import Database
from app.base.settings import Settings, SmtpServer
from app.fakes import FakeSmtp
from app.mail.mailbox import Mailbox
from app.mail.smtp import Smtp
from tests.mail.conformance import SUITE, Bench

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def mailbox(settings: Settings, web: Database) -> AsyncIterator[Bench]:
    async with web.transaction() as tx:
        await tx.execute("delete from mailbox.fault")
        await tx.execute("delete from mailbox.mail")
    url = settings.database.worker_url

    async def kept() -> list[bytes]:
        async with web.transaction() as tx:
            return [bytes(row.raw) for row in await tx.rows("select raw from mailbox.mail order by id")]

    made = Mailbox(url)
    nobody = Mailbox("postgresql://godwit_worker:x@127.0.0.1:1/godwit")
    stranger = Mailbox(url.replace("godwit_worker:", "godwit_worker:wr0ng"))
    yield Bench(made, kept, nobody, stranger, web)
    await made.aclose()


@asynccontextmanager
async def smtp(settings: Settings, web: Database) -> AsyncIterator[Bench]:
    fake = FakeSmtp(users={"ana": "right"})
    await fake.start()

    async def kept() -> list[bytes]:
        return [mail.raw for mail in fake.kept]

    def provider(password: str, port: int) -> Smtp:
        return Smtp(SmtpServer("127.0.0.1", port, "plain", "ana", password))

    made = provider("right", fake.port)
    yield Bench(made, kept, provider("right", 1), provider("wr0ng", fake.port), web)
    await made.aclose()
    await fake.stop()


@pytest.mark.parametrize("check", SUITE, ids=lambda check: check.__name__)
@pytest.mark.parametrize("on", [mailbox, smtp], ids=lambda on: on.__name__)
async def test_every_provider_keeps_its_word(
    on: Callable, check: Callable[[Bench], Awaitable[None]], settings_env: Settings, web: Database
) -> None:
    async with on(settings_env, web) as bench:
        await check(bench)
