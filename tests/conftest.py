"""Fixtures every test may ask for: real servers, a database of its own, a pool for each role."""

import gc
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from app.base.database import Database
from app.base.settings import Settings, settings
from app.cli.folder import Folder
from app.cli.valkey import Valkey
from tests.harness import Clone, Servers, at_number, flush, noted

_SERVERS = pytest.StashKey[Servers]()
_NOTE = "godwit_servers"
SECRET_KEY = "Z29kd2l0LXRlc3RzLWtub3ctdGhpcy1rZXktYnktaGU"  # noqa: S105 - signs nothing outside a test run


def _servers(config: pytest.Config) -> Servers:
    if _SERVERS not in config.stash:
        config.stash[_SERVERS] = Servers()
    return config.stash[_SERVERS]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node) -> None:
    """xdist: tell every process of the run where the addresses of the one set of servers will be."""
    node.workerinput[_NOTE] = str(_servers(node.config).note)


@pytest.hookimpl(wrapper=True)
def pytest_sessionstart(session: pytest.Session) -> Iterator[None]:
    """xdist: its processes are at work by now, and gather their tests while the servers start."""
    yield
    if _SERVERS in session.config.stash:
        gc.freeze()
        session.config.stash[_SERVERS].start()


def pytest_collection_finish() -> None:
    """What was imported stays: looked through for garbage no more, at the end of the run six times."""
    gc.freeze()


def pytest_unconfigure(config: pytest.Config) -> None:
    """The servers end with the run."""
    if _SERVERS in config.stash:
        config.stash[_SERVERS].stop()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Async tests run on asyncio, as Godwit does."""
    return "asyncio"


@pytest.fixture(scope="session")
def server_urls(request: pytest.FixtureRequest) -> tuple[str, str]:
    """The run's servers: (the template database, Valkey). Clone the first, do not write to it."""
    given = getattr(request.config, "workerinput", {})
    return noted(Path(given[_NOTE])) if _NOTE in given else _servers(request.config).start()


@pytest.fixture(scope="session")
def clone(server_urls: tuple[str, str]) -> Iterator[Clone]:
    """This process's database."""
    name = f"godwit_{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"
    made = Clone(server_urls[0], name)
    yield made
    made.close()


@pytest.fixture
def database_url(clone: Clone) -> str:
    """The owner's address of a database that holds nothing but what the migrations put there."""
    clone.clean()
    return clone.url


@pytest.fixture
def redis_url(server_urls: tuple[str, str]) -> str:
    """An empty Valkey database of this process's own."""
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    url = at_number(server_urls[1], number)
    flush(url)
    return url


@pytest.fixture
def settings_env(
    database_url: str, redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Settings]:
    """Settings in testing mode on this test's database; to change one: setenv and settings.cache_clear()."""
    for name in [name for name in os.environ if name.startswith("GODWIT_")]:
        monkeypatch.delenv(name)
    told = {
        "DATABASE_URL": database_url,
        "REDIS_URL": redis_url,
        "GODWIT_DATA": str(tmp_path / "data"),
        "GODWIT_MODE": "testing",
        "GODWIT_SECRET_KEYS": SECRET_KEY,
    }
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    yield settings()
    settings.cache_clear()


@pytest.fixture
async def web(settings_env: Settings) -> AsyncIterator[Database]:
    """The pool of the web process: `godwit_web`."""
    database = Database.for_role("web")
    yield database
    await database.close()


@pytest.fixture
async def worker(settings_env: Settings) -> AsyncIterator[Database]:
    """The pool of a worker: `godwit_worker`."""
    database = Database.for_role("worker")
    yield database
    await database.close()


@pytest.fixture
async def owner(settings_env: Settings) -> AsyncIterator[Database]:
    """The owner, for looking behind the policies; nothing of Godwit's runs as it."""
    database = Database(settings_env.database.owner_url, "godwit_owner", 2)
    yield database
    await database.close()


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[Valkey]:
    """A Valkey for this test alone, to be stopped and started at will (`.url`, `.stop()`, `.start()`)."""
    server = Valkey(Folder(tmp_path))
    server.start()
    yield server
    server.stop()
