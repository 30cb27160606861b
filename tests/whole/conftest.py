"""What takes longer than the tests of a slice may: whole processes, and whole audiences."""

from collections.abc import AsyncIterator

import httpx
import pytest

from app.base.database import Database
from app.base.settings import Settings, settings
from tests.broadcasts.makers import an_empty_mailbox
from tests.jobs.makers import two_accounts
from tests.web_server import client_of, serving
from workers import catalog


@pytest.fixture
async def accounts(settings_env: Settings, owner: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Accounts 7 and 8; workers look for work ten times a second."""
    monkeypatch.setenv("GODWIT_SWEEP", "0.1")
    settings.cache_clear()
    await two_accounts(owner)


@pytest.fixture
async def godwit(owner: Database) -> AsyncIterator[str]:
    """The web process in testing mode; its address."""
    catalog.load()
    async with an_empty_mailbox(owner), serving() as url:
        yield url


@pytest.fixture
async def tester(godwit: str) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody on this machine, with no cookie and no key."""
    async with client_of(f"{godwit}/testing", timeout=90) as client:
        yield client
