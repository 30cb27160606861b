"""PostgreSQL's disk is full: of its tables, then of its log, at which it crashes (E1, E2, E4)."""

import asyncio
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy.exc import DBAPIError

from app.cli.identity import hand_over, identity
from app.cli.postgres import CLUSTER
from app.cli.services import Services
from tests.crash.scenario import LONG
from tests.crash.servers import start_again
from tests.crash.yard import Yard
from tests.waiting import until

_MOVED = """
do $$ declare one text; begin
    alter table job set tablespace small;
    for one in select indexname from pg_indexes where tablename = 'job' loop
        execute format('alter index %I set tablespace small', one);
    end loop;
end $$
"""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, in memory; only who may mount one can have it."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", str(place)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this user of this machine may not mount a file system")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(place: Path) -> Path:
    """Nothing more fits beside this file."""
    filler = place / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096):
            with suppress(OSError):
                while True:
                    file.write(b"\0" * size)
    return filler


async def until_none_fits(yard: Yard) -> int:
    """Make jobs by twenties until there is no room; answers how many fitted."""
    made = 0
    while True:
        try:
            await yard.notes(*(f"fits-{made}-{n}" for n in range(20)))
        except DBAPIError as error:
            if "No space left" not in str(error):
                raise
            return made
        made += 20


async def test_what_does_not_fit_was_never_made_and_what_is_in_hand_is_told_later(
    small_disk: Path, yard: Yard
) -> None:
    """E1, E2, E4: no room for a row; once there is, the worker writes what it did, and goes on."""
    place = small_disk / "tables"
    place.mkdir()
    hand_over(place, identity())
    await yard.as_superuser(f"create tablespace small location '{place}'", _MOVED)
    await yard.notes("in-hand-0", "in-hand-1", gated=True)
    hand = yard.hire()
    await yard.wrote("begin in-hand-0")
    await yard.wrote("begin in-hand-1")
    filler = fill(small_disk)
    made = await until_none_fits(yard)
    yard.gate.touch()
    await yard.wrote("end in-hand-0")
    await yard.wrote("end in-hand-1")
    filler.unlink()
    await yard.quiet()
    assert await hand.stop() == 0
    told = await yard.books()
    assert len(told) == 2 + made
    assert {(tuple(one.outcomes), len(one.began)) for one in told.values()} == {(("done",), 1)}


async def test_crashed_for_want_of_room_for_its_log_it_comes_back_with_all_that_was_committed(
    small_disk: Path, yard: Yard, services: Services
) -> None:
    """E2, E4: the worker lives on, and settles once what it had in hand."""
    log = services.folder.path / CLUSTER / "pg_wal"
    assert services.postgres is not None
    await asyncio.to_thread(services.postgres.stop)
    await asyncio.to_thread(subprocess.run, ["mv", str(log), str(small_disk / "log")], check=True)
    log.symlink_to(small_disk / "log")
    await start_again(services)
    await yard.notes("in-hand-0", "in-hand-1", gated=True)
    hand = yard.hire()
    await yard.wrote("begin in-hand-0")
    await yard.wrote("begin in-hand-1")
    await yard.notes("waiting-0", "waiting-1")
    filler = fill(small_disk)
    with suppress(asyncpg.PostgresError, OSError):
        while True:  # a file of the log each, until there is room for none
            await yard.as_superuser(
                "create table if not exists t (n int)", "select pg_switch_wal()", "drop table t"
            )

    async def down() -> bool:
        return services.postgres is not None and not services.postgres.running

    yard.gate.touch()
    await until(down, seconds=LONG)
    await yard.wrote("end in-hand-1")
    filler.unlink()
    await start_again(services)
    await yard.quiet()
    assert await hand.stop() == 0
    told = await yard.books()
    assert [(one.outcomes, len(one.began)) for one in told.values()] == [(["done"], 1)] * 4
