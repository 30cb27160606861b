"""A Godwit in testing mode with one studio, and a tester who talks to it from this machine."""

from collections.abc import AsyncIterator

import httpx
import pytest

from app.base.database import Database
from tests.broadcasts.makers import Studio, a_studio, an_empty_mailbox
from tests.web_server import client_of, serving
from workers import catalog


@pytest.fixture
async def godwit(owner: Database) -> AsyncIterator[str]:
    """The web process; its address."""
    catalog.load()
    async with an_empty_mailbox(owner), serving() as url:
        yield url


@pytest.fixture
async def studio(godwit: str, web: Database, worker: Database) -> AsyncIterator[Studio]:
    """Ana's studio, with twelve readers."""
    async with a_studio(godwit, web, worker) as made:
        yield made


@pytest.fixture
async def tester(godwit: str) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody on this machine, with no cookie and no key."""
    async with client_of(f"{godwit}/testing", timeout=30) as client:
        yield client
