"""Two accounts and a quick sweep for every test of jobs (which are all async for their sake)."""

import pytest

from app.base.database import Database
from app.base.settings import Settings, settings
from tests.jobs import kinds

assert kinds.QUEUE


@pytest.fixture(autouse=True)
async def accounts(
    settings_env: Settings, owner: Database, monkeypatch: pytest.MonkeyPatch
) -> tuple[int, int]:
    """Accounts 7 and 8; workers look for work ten times a second."""
    monkeypatch.setenv("GODWIT_SWEEP", "0.1")
    settings.cache_clear()
    async with owner.transaction() as tx:
        await tx.execute(
            "insert into account (id, slug, name) values (7, 'seven', 'Seven'), (8, 'eight', 'Eight')"
        )
    return 7, 8
