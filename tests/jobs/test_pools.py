"""Connections and time-outs: one family, one frozen process, does not stop the others (E10)."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError

from app.base.database import Database
from app.base.driver import opened
from app.base.errors import Unavailable
from app.base.settings import Settings, settings
from app.cli.serve import PROCESSES
from app.jobs import QUEUES
from tests.jobs.kinds import Quick
from tests.jobs.makers import in_state, put, working
from tests.waiting import until
from workers.pools import FEWEST, Pools, pool_sizes


async def test_families_share_the_pool_by_their_handlers() -> None:
    assert pool_sizes(["sends", "build"], 20) == {"sends": 16, "build": 4}
    assert pool_sizes(["sends"], 10) == {"sends": 10}
    for process in PROCESSES:
        sizes = pool_sizes(process.split(","), 10)
        assert min(sizes.values()) >= FEWEST
        assert sum(sizes.values()) <= 20


async def test_every_queue_belongs_to_one_process_and_codes_are_apart_from_bulk() -> None:
    """E10: two processes by default."""
    assert sorted(",".join(PROCESSES).split(",")) == sorted(QUEUES)
    codes = next(process for process in PROCESSES if "codes_creators" in process)
    assert "sends" not in codes
    assert "codes_readers" in codes


async def test_a_family_that_holds_all_its_connections_leaves_the_others_theirs(
    settings_env: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E10, E11: the timers too."""
    monkeypatch.setenv("GODWIT_WORKER_POOL", "4")
    settings.cache_clear()
    pools = Pools(["webhooks", "codes_creators"])
    async with AsyncExitStack() as stack:
        for _ in range(pools.families["webhooks"].pool.most):
            await stack.enter_async_context(pools.families["webhooks"].transaction())
        for other in (pools.families["codes_creators"], pools.timers):
            async with asyncio.timeout(3), other.transaction() as tx:
                assert await tx.value("select current_user") == "godwit_worker"
    await pools.close()


@pytest.mark.parametrize("role", ["web", "worker", "operator"])
async def test_every_runtime_role_has_its_time_outs(settings_env: Settings, role: str) -> None:
    """A frozen process stops nobody for long."""
    database = Database.for_role(role, pooled=False)  # type: ignore[arg-type]
    async with database.transaction() as tx:
        for name, most in (
            ("idle_in_transaction_session_timeout", "10s"),
            ("lock_timeout", "5s"),
            ("statement_timeout", "30s"),
        ):
            assert await tx.value(f"show {name}") == most
    await database.close()


async def test_a_process_frozen_in_a_transaction_loses_it_and_its_locks(
    web: Database, worker: Database, owner: Database, tmp_path: Path
) -> None:
    """E10: whoever sleeps with a job locked is put out, and the job is done by others."""
    made = await put(web, Quick("x", str(tmp_path / "log")))
    with pytest.raises((Unavailable, DBAPIError)):  # noqa: PT012 - the transaction is the act
        async with worker.transaction() as tx:
            await tx.execute("set local idle_in_transaction_session_timeout = '300ms'")
            assert await tx.value("select id from job where id = :id for update", id=made)
            async with working(worker, "webhooks"):
                await in_state(owner, made, "done")
            await tx.value("select 1")


async def test_a_process_frozen_between_the_parts_of_a_statement_gives_back_what_it_locked(
    worker: Database,
) -> None:
    """E10, E11: neither idle nor in a statement; only the time of the whole transaction ends it."""
    async with worker.transaction() as tx:
        if await tx.value("show server_version_num") < "170000":
            pytest.skip("only PostgreSQL 17 and newer end a transaction by its time")
        assert await tx.value("show transaction_timeout") == "1min"
    frozen: Any = await opened(settings().database.worker_url, "godwit_worker")
    try:
        await frozen.execute("set transaction_timeout = '300ms'")
        await frozen.execute("begin; select pg_advisory_xact_lock(7265999)")
        # What the driver writes before it would bind: Parse and Flush, and then nothing more.
        frozen._transport.write(b"P\0\0\0\x10\0select 1\0\0\0" + b"H\0\0\0\4")

        async def given_back() -> bool:
            async with worker.transaction() as tx:
                return await tx.value("select pg_try_advisory_xact_lock(7265999)")

        await until(given_back)
    finally:
        frozen.terminate()
