"""E10, L9: codes and a small mailing are through before a large one is, beside webhooks that fail."""

import asyncio
import contextlib
import socket
from collections import Counter
from collections.abc import AsyncIterator

import httpx
import pytest

from app.base.database import Database
from app.base.settings import Settings, settings
from app.fakes import FakeReceiver, Reply, Script
from app.proof.publications import mail_all, mailing_of, publication
from app.webhooks import NewEndpoint, News, add_endpoint, announce
from tests.broadcasts.makers import an_empty_mailbox
from tests.jobs.makers import real_worker
from tests.waiting import until
from tests.web_server import browser, on_site, serving
from workers import catalog

LARGE, SMALL, RATE, EVENTS = 9_000, 50, 300, 100
ENVIRONMENT = {
    "GODWIT_SEND_RATE": f"{RATE}",
    "GODWIT_SEND_BATCH": "20",
    "GODWIT_EGRESS_ALLOW": "127.0.0.1/32",
    "GODWIT_WEBHOOK_TIMEOUT": "3",
}
_CODES = "select to_address from mailbox.mail where kind = 'code'"
_FAILED = "select count(*) from attempt where job_id in (select id from job where kind = 'deliver_webhook')"
#: As `godwit worker` starts them.
PROCESSES = (
    ("codes_creators", "codes_readers", "messages"),
    ("webhooks", "sends", "build", "imports", "payments", "housekeeping"),
)


@pytest.fixture
async def site(
    settings_env: Settings, owner: Database, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[str]:
    """The web process with the settings of this test; its address."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    catalog.load()
    async with an_empty_mailbox(owner), serving() as url:
        yield url


@pytest.fixture
async def failing(site: str, web: Database) -> AsyncIterator[None]:
    """In each of three publications one endpoint that hangs and one that refuses, with much to hear."""
    hanging = Script()
    hanging.replies = [Reply(ending="hang")] * (3 * EVENTS)
    server = FakeReceiver(hanging)
    await server.start()
    with contextlib.closing(socket.socket()) as held:
        held.bind(("127.0.0.1", 0))  # nobody listens there
        for n in range(3):
            account = await publication(web, f"failing{n}")
            async with web.transaction(account) as tx:
                for url in (server.url, f"http://127.0.0.1:{held.getsockname()[1]}/"):
                    await add_endpoint(tx, NewEndpoint(url, ("reader.subscribed",)))
                await announce(tx, *[News("reader.subscribed", {"id": "x"})] * EVENTS)
        yield
        await server.stop()


async def _asked(url: str) -> list[str]:
    """Six people ask for a code, all at once; their addresses."""
    async with browser(url) as studio, on_site(url, "large") as large, on_site(url, "small") as small:
        wanted: list[tuple[httpx.AsyncClient, str]] = [
            (studio, "large@example.org"),
            (studio, "small@example.org"),
            *((large, f"reader{n}@large.example.com") for n in (1, LARGE - 1)),
            *((small, f"reader{n}@small.example.com") for n in (1, SMALL - 1)),
        ]
        answers = await asyncio.gather(
            *(client.post("/sign-in", data={"email": address}) for client, address in wanted)
        )
    assert [one.status_code for one in answers] == [303] * 6
    return [address for _, address in wanted]


@pytest.mark.usefixtures("failing")
async def test_codes_and_fifty_readers_are_mailed_before_nine_thousand_are(
    site: str, web: Database, owner: Database
) -> None:
    """Each code once, to who asked; the fifty, pressed later, are through while the many are not."""
    large, small = await publication(web, "large", LARGE), await publication(web, "small", SMALL)
    with contextlib.ExitStack() as stack:
        for queues in PROCESSES:
            stack.enter_context(real_worker(*queues))
        many = await mail_all(web, large, "To the many")

        async def under_way() -> bool:
            async with owner.transaction() as tx:
                failed = await tx.value(_FAILED)
            return bool(failed) and (await mailing_of(web, large, many)).figures.sent > 0

        await until(under_way, seconds=60)
        few = await mail_all(web, small, "To the few")
        asked = await _asked(site)

        async def through() -> bool:
            async with owner.transaction() as tx:
                codes = Counter(row.to_address for row in await tx.rows(_CODES))
            assert codes.total() <= len(asked), "a code went twice"
            done = (await mailing_of(web, small, few)).state == "finished"
            return done and codes == Counter(asked)

        await until(through, seconds=60)
        assert (await mailing_of(web, small, few)).figures.sent == SMALL
        left = await mailing_of(web, large, many)
    assert left.figures.to_go > 0
