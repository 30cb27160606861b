"""Field case H: a receiver that answers after 2.5 seconds is waited for, and gets no double."""

import re
from collections.abc import AsyncIterator

import pytest

from app import egress
from app.base.database import Database
from app.base.settings import Settings, settings
from app.fakes import FakeReceiver, Script
from tests.broadcasts.makers import Studio, a_studio
from tests.jobs.makers import working
from tests.waiting import until
from tests.web_server import serving
from tests.webhooks.makers import tell
from workers import catalog

TAKES = 2.5


@pytest.fixture
def loopback_allowed(settings_env: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GODWIT_EGRESS_ALLOW", "127.0.0.1/32")
    monkeypatch.setenv("GODWIT_SWEEP", "0.1")
    settings.cache_clear()
    catalog.load()


@pytest.fixture
async def slow(loopback_allowed: None) -> AsyncIterator[tuple[str, Script]]:
    """Its address, and its script."""
    script = Script(delay=TAKES)
    server = FakeReceiver(script)
    await server.start()
    yield f"{server.url}/hook", script
    await server.stop()
    await egress.client().close()


@pytest.fixture
async def studio(loopback_allowed: None, web: Database, worker: Database) -> AsyncIterator[Studio]:
    async with serving() as url, a_studio(url, web, worker, readers=0) as made:
        yield made


async def test_a_receiver_that_answers_after_2_5_seconds_is_told_once(
    studio: Studio, slow: tuple[str, Script]
) -> None:
    """W2, E3: one try, no double beside other workers that look for work; the page says how long it took."""
    url, script = slow
    assert settings().sending.webhook_timeout >= 10
    made = (await studio.api.post("/endpoints", json={"url": url, "events": ["*"]})).json()["id"]

    async def delivered(times: int) -> list[dict[str, str]] | None:
        found = (await studio.api.get(f"/endpoints/{made}/deliveries")).json()["items"]
        return found if [one["state"] for one in found] == ["delivered"] * times else None

    async with working(studio.worker, "webhooks"), working(studio.worker, "webhooks"):
        for times in (1, 2):
            await tell(studio.web, account=studio.desk.account_id)
            lines = await until(lambda times=times: delivered(times))
    assert [call.header("webhook-id") for call in script.calls] == [one["event"] for one in lines[::-1]]
    assert [call.header("godwit-attempt") for call in script.calls] == ["1", "1"]
    for one in lines:
        (tried,) = (await studio.api.get(f"/deliveries/{one['id']}")).json()["attempts"]
        assert (tried["number"], tried["outcome"], tried["status"]) == (1, "done", 200)
        assert TAKES * 1000 <= tried["duration_ms"] < 10_000
        page = (await studio.page.get(studio.at(f"/endpoints/deliveries/{one['id']}"))).text
        (took,) = re.findall(r"took ([\d,]+) ms", page)
        assert int(took.replace(",", "")) == tried["duration_ms"]
