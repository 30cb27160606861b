"""A served studio, and accounts in it."""

from collections.abc import AsyncIterator

import httpx
import pytest

from app.base.database import Database
from app.base.settings import Settings
from tests.accounts.makers import open_account
from tests.web_server import browser, serving


@pytest.fixture
async def studio(settings_env: Settings) -> AsyncIterator[str]:
    """The web process on this test's database; its address."""
    async with serving() as url:
        yield url


@pytest.fixture
async def ana(studio: str, web: Database) -> AsyncIterator[httpx.AsyncClient]:
    """Ana's browser, not signed in; her account is tidelines."""
    await open_account(web, "ana@example.com", "tidelines")
    async with browser(studio) as client:
        yield client
