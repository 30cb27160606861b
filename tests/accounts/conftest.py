"""A served studio, and accounts in it."""

from collections.abc import AsyncIterator

import httpx
import pytest

from app.accounts import forms
from app.base.database import Database
from app.base.settings import Settings
from tests.accounts.makers import open_account
from tests.web_server import browser, serving

_FLOOR = forms.FLOOR


@pytest.fixture(autouse=True)
def no_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Codes are answered as soon as they can be, in tests that are not of the floor of time (`floor`)."""
    monkeypatch.setattr(forms, "FLOOR", 0.0)


@pytest.fixture
def floor(no_floor: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Codes are answered no sooner than outside the tests."""
    monkeypatch.setattr(forms, "FLOOR", _FLOOR)


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
