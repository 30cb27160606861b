"""A publication with a reader, its site and its studio; no floor of time, but in tests that are about it."""

from collections.abc import AsyncIterator

import httpx
import pytest

from app.base.database import Database
from app.readers import ReaderView, strangers
from tests.readers.makers import Place, a_place
from tests.readers.visitors import creator, opened, visitor

assert strangers.FLOOR >= 0.25
#: In tests that are about it; long enough to be told from none.
FLOOR = 0.08


@pytest.fixture(autouse=True)
def no_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forms are answered as soon as they can be."""
    monkeypatch.setattr(strangers, "FLOOR", 0.0)


@pytest.fixture
def floor(no_floor: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forms are answered no sooner than that."""
    monkeypatch.setattr(strangers, "FLOOR", FLOOR)


@pytest.fixture
async def place(web: Database) -> Place:
    return await a_place(web)


@pytest.fixture
async def anna(place: Place) -> ReaderView:
    return await place.reader(name="Anna")


@pytest.fixture
async def site(place: Place) -> AsyncIterator[httpx.AsyncClient]:
    async with opened() as web, visitor(web) as client:
        yield client


@pytest.fixture
async def studio(place: Place) -> AsyncIterator[httpx.AsyncClient]:
    async with opened() as web, await creator(web, place) as client:
        yield client
