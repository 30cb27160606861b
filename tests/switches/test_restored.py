"""A database that is not the one it was stops all mail by itself; one that is does not."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy.exc import DBAPIError

from app.base.database import Database
from app.base.settings import Settings
from app.switches import look_back, switches_of
from app.switches.restored import FILE, _remember, _remembered
from migrations.run import INSTALLED
from tests.jobs.makers import lines


@pytest.fixture(autouse=True)
async def known_again(owner: Database) -> AsyncIterator[None]:
    """Whatever a test did to it, the database is the one it was for the next."""
    yield
    async with owner.transaction() as tx:
        await tx.execute("delete from installation")
        await tx.execute(INSTALLED)


@pytest.fixture
def remembered(settings_env: Settings) -> Path:
    return settings_env.data / FILE


def remembers(path: Path, line: str) -> None:
    """As if this machine had noted that."""
    path.write_text(line)


async def platform(web: Database) -> Any:
    async with web.transaction() as tx:
        return (await switches_of(tx)).platform


async def loaded_from_a_dump(owner: Database) -> None:
    """The row as it was, written by another transaction."""
    async with owner.transaction() as tx:
        row = await tx.row("delete from installation returning *")
    async with owner.transaction() as tx:
        await tx.execute(
            "insert into installation (id, look, written_by, timeline, server_started)"
            " values (:id, :look, :written_by, :timeline, :server_started)",
            id=row.id,
            look=row.look,
            written_by=row.written_by,
            timeline=row.timeline,
            server_started=row.server_started,
        )


async def mail_goes(worker: Database) -> bool:
    """Whether a claim would find any, as the worker."""
    async with worker.transaction() as tx:
        return not await tx.value("select mail_stopped(0, false)")


async def server_begins(owner: Database) -> None:
    """As if the server began after the last look."""
    async with owner.transaction() as tx:
        me = "(pg_current_xact_id()::text::numeric % 4294967296)::bigint"
        earlier = "server_started - interval '1 s'"
        await tx.execute(f"update installation set server_started = {earlier}, written_by = {me}")


async def test_the_same_database_is_known_again(web: Database, worker: Database) -> None:
    """The first look of all, the next ones, and one from a machine that remembers less."""
    for _ in range(3):
        await look_back(worker)
    assert not (await platform(web)).holding


async def test_what_was_loaded_from_a_dump_holds_all_mail_until_an_operator_decides(
    web: Database, worker: Database, owner: Database
) -> None:
    """L10: said once; who started it again is not stopped again."""
    await look_back(worker)
    await loaded_from_a_dump(owner)
    assert not await mail_goes(worker), "whoever is at work may claim before anybody looks"
    await look_back(worker)
    stands = await platform(web)
    assert (stands.stopped, stands.scope, stands.changed_by) == (True, "all", "Godwit")
    assert stands.reason.startswith("This database was restored from a backup")
    async with owner.transaction() as tx:
        await tx.execute("select set_switch(0, false, 'all', 'looked at', 'Olga'), let_go(0, 'Olga')")
    assert await mail_goes(worker)
    await look_back(worker)
    assert not (await platform(web)).stopped


async def test_a_server_that_began_hands_out_no_mail_until_somebody_looked(
    web: Database, worker: Database, owner: Database
) -> None:
    """L1: its files may be those of a backup, under workers who only lost their connections."""
    await server_begins(owner)
    assert not await mail_goes(worker)
    await look_back(worker)
    assert await mail_goes(worker)
    assert not (await platform(web)).holding


async def test_a_database_that_is_being_loaded_is_left_alone(
    web: Database, worker: Database, owner: Database
) -> None:
    """L1: a row of ours, or a switch, would be in the way of the backup's own."""
    async with owner.transaction() as tx:
        await tx.execute("delete from installation")
    with pytest.raises(DBAPIError, match="is being loaded from a backup"):
        await look_back(worker)
    async with owner.transaction() as tx:
        assert await tx.value("select count(*) from installation") == 0
    assert not (await platform(web)).holding
    assert not await mail_goes(worker)


async def test_another_timeline_holds_all_mail(web: Database, worker: Database, owner: Database) -> None:
    """Recovered to a point in time, or a standby took over: what was committed last may be missing."""
    await look_back(worker)
    async with owner.transaction() as tx:
        me = "(pg_current_xact_id()::text::numeric % 4294967296)::bigint"
        await tx.execute(f"update installation set timeline = '0000000A', written_by = {me}")
    await look_back(worker)
    assert (await platform(web)).stopped


async def test_a_database_that_counts_less_than_this_machine_remembers_holds_all_mail(
    web: Database, worker: Database, remembered: Path
) -> None:
    await look_back(worker)
    known, look = lines(remembered)[0].split()
    remembers(remembered, f"{known} {int(look) + 1}")
    await look_back(worker)
    assert (await platform(web)).stopped


async def test_two_that_look_at_once_never_remember_a_look_that_nobody_took(remembered: Path) -> None:
    """Else a number larger than the database's own would stop all mail."""
    known, stops = UUID(int=7), asyncio.Event()
    _remember(remembered, f"{known} 99")

    async def remember(look: int) -> None:
        for _ in range(200):
            await asyncio.to_thread(_remember, remembered, f"{known} {look}")

    async def read() -> set[int]:
        found = set[int]()
        while not stops.is_set():
            found.add((await asyncio.to_thread(_remembered, remembered))[1])
        return found

    reading = asyncio.create_task(read())
    await asyncio.gather(remember(999), remember(1000))
    stops.set()
    assert await reading <= {99, 999, 1000}
    assert [one.name for one in remembered.parent.iterdir() if FILE in one.name] == [FILE]


async def test_what_this_machine_remembers_of_another_database_says_nothing(
    web: Database, worker: Database, remembered: Path
) -> None:
    await look_back(worker)
    remembers(remembered, "00000000-0000-4000-8000-000000000000 999999")
    await look_back(worker)
    remembers(remembered, "what is this")
    await look_back(worker)
    assert not (await platform(web)).holding
