"""A served studio, an operator's browser beside it."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from app.accounts import forms, session_cookie, start_session
from app.base import ids
from app.base.database import Database
from app.cli import program
from tests.broadcasts.makers import Studio, a_studio
from tests.switches.makers import Command
from tests.web_server import browser, serving
from workers import catalog


@pytest.fixture(autouse=True)
def no_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks for a code is answered as soon as can be; tests/accounts keeps the floor of time."""
    monkeypatch.setattr(forms, "FLOOR", 0.0)


@pytest.fixture
async def studio(web: Database, worker: Database) -> AsyncIterator[Studio]:
    """Ana's studio, with twelve readers."""
    catalog.load()
    async with serving() as url, a_studio(url, web, worker) as made:
        yield made


@pytest.fixture
async def operator(studio: Studio, web: Database) -> AsyncIterator[httpx.AsyncClient]:
    """Ola's browser; she runs this Godwit and belongs to no publication."""
    async with web.transaction() as tx:
        ola = await tx.value(
            "insert into creator (id, email, name, operator) values (:id, 'ola@example.org', 'Ola', true)"
            " returning id",
            id=ids.new(),
        )
        token = await start_session(tx, ola)
    async with browser(str(studio.page.base_url), cookies={session_cookie(token).key: token}) as page:
        yield page


@pytest.fixture
async def operators(settings_env: object) -> AsyncIterator[Database]:
    """The pool of the console and the commands: `godwit_operator`."""
    database = Database.for_role("operator")
    yield database
    await database.close()


@pytest.fixture
def godwit(settings_env: object, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run `godwit switch …`, which must succeed; what it wrote."""

    async def run(*arguments: str) -> str:
        assert await asyncio.to_thread(program.run, ["switch", *arguments]) == 0
        return capsys.readouterr().out

    return run
