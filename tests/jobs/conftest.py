"""Two accounts and a quick sweep for every test of jobs (which are all async for their sake)."""

import pytest

from app.base.database import Database
from app.base.settings import Settings, settings
from tests.jobs import kinds
from tests.jobs.makers import two_accounts

assert kinds.QUEUE


@pytest.fixture(autouse=True)
async def accounts(
    settings_env: Settings, owner: Database, monkeypatch: pytest.MonkeyPatch
) -> tuple[int, int]:
    """Accounts 7 and 8; workers look for work ten times a second."""
    monkeypatch.setenv("GODWIT_SWEEP", "0.1")
    settings.cache_clear()
    await two_accounts(owner)
    return 7, 8
