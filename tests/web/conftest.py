"""A served Godwit with one account, and Ana signed in to its studio."""

from collections.abc import AsyncIterator

import httpx
import pytest

from app.base.database import Database
from app.base.settings import Settings
from tests.accounts.makers import open_account, sign_in
from tests.web_server import browser, serving


@pytest.fixture
async def godwit(settings_env: Settings, web: Database) -> AsyncIterator[str]:
    """The web process; its address."""
    await open_account(web, "ana@example.com", "tidelines")
    async with serving() as url:
        yield url


@pytest.fixture
async def ana(godwit: str, web: Database) -> AsyncIterator[httpx.AsyncClient]:
    """Ana's browser, signed in."""
    async with browser(godwit) as client:
        await sign_in(client, web, "ana@example.com")
        yield client
