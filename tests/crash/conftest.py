"""Durable servers of its own for each scenario: what survives here survives a power cut too."""

import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from app.base.settings import Settings, settings
from app.cli.services import Services
from migrations.run import migrate_database
from tests.crash.crew import Crew, Stage, Terms, a_crew
from tests.crash.letters import Letter
from tests.crash.mailings import Mailing
from tests.crash.scenario import ENVIRONMENT
from tests.crash.smtp_mailings import SmtpMailing
from tests.crash.telling import HASTY, Telling
from tests.crash.yard import PATIENT, Yard


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of servers that were migrated and stopped: to be copied, not to be served."""
    folder = tmp_path_factory.mktemp("migrated") / "servers"
    with Services(folder) as running:
        migrate_database(running.database_url, "testing")
    return folder


@pytest.fixture
def services(migrated: Path, tmp_path: Path) -> Iterator[Services]:
    """PostgreSQL with fsync, and Valkey, for this test alone."""
    subprocess.run(["cp", "-a", migrated, tmp_path / "servers"], check=True)  # a cluster is its user's own
    with Services(tmp_path / "servers") as running:
        yield running


@pytest.fixture
def crash_env(services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """The settings of the scenario, for this process and for the workers it starts."""
    told = {
        **ENVIRONMENT,
        "DATABASE_URL": services.database_url,
        "REDIS_URL": services.redis_url,
        "GODWIT_DATA": str(tmp_path / "data"),
        "GODWIT_MODE": "testing",
    }
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    yield settings()
    settings.cache_clear()


@pytest.fixture(scope="module")
def crew(
    request: pytest.FixtureRequest, migrated: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Crew]:
    """Three workers on servers of this module's; at what, its TERMS say."""
    terms: Terms = getattr(request.module, "TERMS", Terms())
    with a_crew(migrated, tmp_path_factory.mktemp("crew"), terms) as made:
        yield made


@pytest.fixture
async def stage(crew: Crew) -> AsyncIterator[Stage]:
    """The crew is whole, and nothing strikes it yet."""
    made = Stage(crew)
    await made.begin()
    yield made
    await made.end()


@pytest.fixture
async def mailing(crew: Crew, tmp_path: Path) -> AsyncIterator[Mailing]:
    """To be written: a SmtpMailing, whose mail server listens, where TERMS say smtp."""
    made = SmtpMailing(crew, tmp_path / "kept") if crew.terms.smtp else Mailing(crew)
    await made.begin()
    yield made
    await made.end()


@pytest.fixture
async def letter(crew: Crew) -> AsyncIterator[Letter]:
    """A code or a message, to be written."""
    made = Letter(crew)
    await made.begin()
    yield made
    await made.end()


@pytest.fixture
async def telling(
    crash_env: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Telling]:
    """An account with a webhook, and two workers that nobody started yet."""
    for name, value in HASTY.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    made = Telling(settings(), tmp_path)
    await made.begin()
    yield made
    await made.end()


@pytest.fixture
async def yard(crash_env: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Yard]:
    """Account 7, kinds of jobs that write down what they do, and no worker yet."""
    for name, value in PATIENT.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    made = Yard(settings(), tmp_path)
    await made.begin()
    yield made
    await made.end()
