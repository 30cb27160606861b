"""The line to the database goes silent under a web process and a worker, and comes back."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.base.database import Database
from app.base.settings import Settings, settings
from tests.jobs.kinds import QUEUE, Note
from tests.jobs.makers import in_state, put, two_accounts, working
from tests.line import Line
from tests.waiting import until
from tests.web_server import as_if_a_worker_lived, client_of, serving

#: Seconds a page may take to say that it is not there: one look at what lay idle, one new connection.
_SOON = 12


@pytest.fixture
async def line(settings_env: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Line]:
    """Everything that asks for its settings from here on goes by this line."""
    async with Line(settings_env.database.owner_url).open() as made:
        monkeypatch.setenv("DATABASE_URL", made.url)
        monkeypatch.setenv("GODWIT_SWEEP", "0.1")
        settings.cache_clear()
        yield made


async def test_pages_and_readyz_say_so_within_seconds_and_are_there_again(
    line: Line, worker: Database
) -> None:
    await as_if_a_worker_lived(worker)
    async with serving() as url, client_of(url) as client:
        assert (await client.get("/readyz")).status_code == 200
        line.silence()
        began = time.monotonic()
        page, ready, api = await asyncio.gather(
            client.get("/sign-in", headers={"Cookie": "godwit_session=x"}),
            client.get("/readyz"),
            client.get("/api/v1/newsletters", headers={"Authorization": "Bearer gdw_x"}),
        )
        assert time.monotonic() - began < _SOON
        assert (page.status_code, ready.status_code, api.status_code) == (503, 503, 503)
        assert ready.json()["database"] == "does not answer"
        line.mend()
        assert (await client.get("/readyz")).status_code == 200


async def test_a_worker_goes_on_when_the_line_is_back(owner: Database, line: Line, tmp_path: Path) -> None:
    """E2: what was enqueued meanwhile is done, in the same loop."""
    await two_accounts(owner)
    far, log = Database.for_role("worker"), tmp_path / "log"
    far.pool.longest_begin, far.pool.longest_opening = 0.2, 0.4

    async def several_tries() -> bool:
        return line.left_alone >= 4

    try:
        async with working(far, QUEUE):
            await in_state(owner, await put(owner, Note("before", str(log))), "done")
            line.silence()
            late = await put(owner, Note("meanwhile", str(log)))
            await until(several_tries)
            line.mend()
            await in_state(owner, late, "done")
    finally:
        await far.close()
