"""The newest migration is applied while a worker of the version before is at work (E2, E4)."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from app.base.settings import settings
from app.cli.services import Services
from migrations import run
from migrations.run import migrate_database
from tests.crash.scenario import ROOT
from tests.crash.yard import ACCOUNT, Yard

_MIGRATE = "import sys; from migrations.run import migrate_database; migrate_database(sys.argv[1], 'testing')"
#: As the version before makes jobs.
_PUT = """
import asyncio, sys
from app.base.database import Database
from app.jobs.queue import Order, enqueue_many
from tests.jobs.kinds import Note

async def put(account, path, gate, *words):
    database = Database.for_role("web")
    async with database.transaction(int(account)) as tx:
        await enqueue_many(tx, [Order(Note(word, path, gate), share=word) for word in words])
    await database.close()

asyncio.run(put(*sys.argv[1:]))
"""


def told(*command: str, home: Path = ROOT) -> str:
    """What the command says. Raises when it fails."""
    return subprocess.run(command, cwd=home, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def before(tmp_path: Path) -> Path:
    """Godwit as it was before its newest migration, from the repository."""
    config = Config()
    config.set_main_option("script_location", str(run.HERE))
    newest = ScriptDirectory.from_config(config).get_revision("head").path
    try:
        added = told(
            "git", "log", "--diff-filter=A", "-1", "--format=%H", "--", str(Path(newest).relative_to(ROOT))
        )
        tree = f"{added}^" if added else "HEAD"
        told("git", "archive", "-o", str(tmp_path / "before.tar"), tree)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no repository here that remembers the version before")
    home = tmp_path / "before"
    home.mkdir()
    told("tar", "-xf", str(tmp_path / "before.tar"), "-C", str(home))
    return home


@pytest.fixture
def services(before: Path, tmp_path: Path) -> Iterator[Services]:
    """Servers whose database is as the version before has it."""
    with Services(tmp_path / "servers") as running:
        told(sys.executable, "-c", _MIGRATE, running.database_url, home=before)
        yield running


async def test_a_worker_of_the_version_before_works_on_while_the_database_is_migrated(
    yard: Yard, before: Path
) -> None:
    """E2, E4: what it holds it settles after the migration; what the next version makes it does as well."""
    of_old = [str(ACCOUNT), str(yard.log), str(yard.gate), "in-hand-0", "in-hand-1", "waiting-0", "waiting-1"]
    await asyncio.to_thread(told, sys.executable, "-c", _PUT, *of_old, home=before)
    older = yard.hire(home=before)
    await yard.wrote("begin in-hand-0")
    await yard.wrote("begin in-hand-1")
    await asyncio.to_thread(migrate_database, settings().database.owner_url, "testing")
    await yard.notes("made-after-0", "made-after-1")
    yard.gate.touch()
    await yard.quiet()
    newer = yard.hire()
    await newer.says("worker_started")
    await yard.notes(*(f"both-{n}" for n in range(8)))
    await yard.quiet()
    assert await older.stop() == await newer.stop() == 0
    books = await yard.books()
    assert [(one.outcomes, len(one.began)) for one in books.values()] == [(["done"], 1)] * 14
