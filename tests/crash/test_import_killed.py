"""The worker is killed in the middle of an import: who was in the file comes in once (imports N2)."""

import signal

from app.base.database import Database
from app.jobs import Done
from app.readers.counts import reader_counts
from tests.imports.makers import (
    GHOST,
    as_if_its_worker_died,
    begun,
    counts,
    import_worker,
    run_once,
    seen,
)
from tests.readers.makers import a_place
from tests.waiting import until


async def test_an_import_killed_between_two_chunks_doubles_and_loses_nobody(
    web: Database, worker: Database, owner: Database
) -> None:
    """N2, E2: kill -9 while the second chunk is on its way."""
    place = await a_place(web)
    made = await begun(place, GHOST)
    async with owner.transaction(place.id) as tx:
        await tx.execute("set local idle_in_transaction_session_timeout = 0")
        # Whoever adds this address waits for us: the second chunk cannot commit.
        await tx.execute(
            "insert into reader (account_id, id, email, source)"
            " values (:account, gen_random_uuid(), 'reader699@example.com', 'api')",
            account=place.id,
        )
        with import_worker() as process:

            async def first_chunk_is_in() -> bool:
                return (await seen(place, made)).rows == 500

            await until(first_chunk_is_in)
            process.send_signal(signal.SIGKILL)
            process.wait()
        await tx.execute("delete from reader where email = 'reader699@example.com' and source = 'api'")
    assert counts(await seen(place, made)) == (500, 0, 0, 0, 0)
    await as_if_its_worker_died(owner)
    assert await run_once(worker) == Done()
    view = await seen(place, made)
    assert (view.state, counts(view)) == ("done", (2000, 0, 0, 0, 0))
    async with place.transaction() as tx:
        there = await reader_counts(tx)
    assert (there.total, there.active) == (2000, 1846)
    async with owner.transaction() as tx:
        assert await tx.value("select count(*) from consent") == 2000
        assert await tx.value("select count(*) from import_file") == 0
