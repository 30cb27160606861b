"""After a bulk load the planner knows at once how large a table is."""

from collections.abc import AsyncIterator

import pytest

from app.base.database import Database
from app.base.settings import Settings
from app.base.statistics import READERS, SENDS, look_anew
from tests.imports.makers import Place, begun, run_once
from tests.jobs.makers import working
from tests.posts.makers import make_desk, make_post
from tests.publishing.makers import make_readers, press_of, press_publish
from tests.waiting import until
from workers import catalog

MANY = 6000


async def known(owner: Database, table: str) -> float:
    """How many rows the planner thinks there are."""
    async with owner.transaction() as tx:
        return await tx.value("select reltuples from pg_class where relname = :table", table=table)


@pytest.fixture(autouse=True)
async def as_if_new(settings_env: Settings, owner: Database) -> AsyncIterator[None]:
    """What an earlier test left known is known no more, and nobody else counts meanwhile."""
    catalog.load()
    async with owner.transaction() as tx:
        for table in (*READERS, *SENDS):
            await tx.execute(f"analyze {table}")
            await tx.execute(f"alter table {table} set (autovacuum_enabled = false)")
    yield
    async with owner.transaction() as tx:
        for table in (*READERS, *SENDS):
            await tx.execute(f"alter table {table} reset (autovacuum_enabled)")


async def test_an_import_ends_with_fresh_statistics(web: Database, worker: Database, owner: Database) -> None:
    desk = await make_desk(web)
    place = Place(web, desk.account_id, desk.newsletter_id)
    lines = "\n".join(f"r{n}@example.com,Reader {n}" for n in range(MANY))
    await begun(place, f"email,name\n{lines}\n".encode(), "csv")
    await run_once(worker)
    assert await known(owner, "reader") > MANY * 0.8


async def test_an_audience_that_was_read_ends_with_fresh_statistics(
    web: Database, worker: Database, owner: Database
) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, MANY)
    draft = await make_post(web, desk)
    await press_publish(web, press_of(desk, draft.post_id), desk.account_id)
    async with owner.transaction() as tx:
        await tx.execute("update job set run_at = now() - interval '1 s'")
        await tx.execute("update mailing set starts_at = now()")

    async def counted() -> bool:
        return await known(owner, "send") > MANY * 0.8

    async with working(worker, "build"):
        await until(counted)


async def test_a_table_that_hardly_grew_is_left_alone(
    web: Database, worker: Database, owner: Database
) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, MANY)
    async with worker.transaction(desk.account_id) as tx:
        assert await look_anew(tx, READERS) >= 2
    await make_readers(web, desk, 10, "more")
    async with worker.transaction(desk.account_id) as tx:
        assert await look_anew(tx, READERS) == 0
        assert await look_anew(tx, ("creator", "job")) == 0
