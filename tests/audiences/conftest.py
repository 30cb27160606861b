"""A publication, and its studio as its creator has it open."""

from collections.abc import AsyncIterator

import httpx
import pytest

from app.base.database import Database
from tests.readers.makers import Place, a_place
from tests.readers.visitors import creator, opened


@pytest.fixture
async def place(web: Database) -> Place:
    return await a_place(web)


@pytest.fixture
async def studio(place: Place) -> AsyncIterator[httpx.AsyncClient]:
    async with opened() as web, await creator(web, place) as client:
        yield client
