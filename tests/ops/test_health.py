"""What a load balancer and a watchman are told."""

import httpx

from app.base.database import Database
from app.base.settings import Settings
from tests.web_server import serving

_WAITING = """
insert into job (account_id, queue, kind, args, share, run_at)
values (0, 'build', 'anything', '{}', '0', now() - make_interval(secs => :seconds))
"""


async def _ready_with_work_waiting(owner: Database, seconds: int) -> httpx.Response:
    async with owner.transaction() as tx:
        await tx.execute(_WAITING, seconds=seconds)
    async with serving() as url, httpx.AsyncClient(base_url=url) as client:
        return await client.get("/readyz")


async def test_work_that_nobody_does_turns_health_red(settings_env: Settings, owner: Database) -> None:
    """Field case: due jobs not dispatched until somebody noticed."""
    told = await _ready_with_work_waiting(owner, 301)
    assert told.status_code == 503
    assert "worker" in told.text


async def test_work_that_is_merely_due_leaves_health_green(settings_env: Settings, owner: Database) -> None:
    assert (await _ready_with_work_waiting(owner, 60)).status_code == 200
