"""A served studio with twelve readers and an empty mailbox."""

from collections.abc import AsyncIterator

import pytest

from app.base.database import Database
from tests.broadcasts.makers import Studio, a_studio, an_empty_mailbox
from tests.web_server import serving
from workers import catalog


@pytest.fixture
async def godwit(owner: Database) -> AsyncIterator[str]:
    """The web process; its address."""
    catalog.load()
    async with an_empty_mailbox(owner), serving() as url:
        yield url


@pytest.fixture
async def studio(godwit: str, web: Database, worker: Database) -> AsyncIterator[Studio]:
    """Ana's studio."""
    async with a_studio(godwit, web, worker) as made:
        yield made
