"""An import whose job is gone says so, and what can be done next (E2, N3)."""

import pytest

from app.base.database import Database
from app.imports.left import fail_left
from app.imports.undoing import begin_undo
from tests.imports.makers import GHOST, begun, csv, first, imported, run_once, seen, settled
from tests.imports.test_bringing import place, whole
from tests.readers.makers import Place

__all__ = ["place"]


async def gone(owner: Database, kind: str, how: str) -> None:
    """An operator gives the job up; or its worker died at its last try."""
    async with owner.transaction() as tx:
        job = await tx.value(
            "select id from job where kind = :kind and state in ('ready', 'leased')", kind=kind
        )
        if how == "dead":
            await tx.execute(
                "update job set state = 'leased', lease = 99, leased_by = 'w', leased_at = now(),"
                " leased_until = now() where id = :id and state = 'ready'",
                id=job,
            )
            await tx.execute(
                "update job set state = 'dead', reason = 'its worker died', leased_by = null,"
                " leased_at = null, leased_until = null where id = :id",
                id=job,
            )
        else:
            await tx.execute(
                "update job set state = 'ready', leased_by = null, leased_at = null, leased_until = null"
                " where id = :id and state = 'leased'",
                id=job,
            )
            assert await tx.value("select discard_job(:id, 'given up by Ola')", id=job)


@pytest.mark.parametrize(("how", "why"), [("discarded", "given up by Ola"), ("dead", "its worker died")])
async def test_an_import_whose_job_is_gone_fails_with_the_reason(
    place: Place, worker: Database, owner: Database, how: str, why: str
) -> None:
    """E2: nobody waits for it; its file is forgotten, as that of any import that is over."""
    made = await begun(place, csv("ana@example.org,,,true,,"))
    await fail_left(worker)
    assert (await seen(place, made)).state == "queued", "its job is there"
    await gone(owner, "import_readers", how)
    await fail_left(worker)
    view = await seen(place, made)
    assert (view.state, view.reason) == (
        "failed",
        f"It was given up ({why}). What came in stays. Import the file again.",
    )
    async with owner.transaction() as tx:
        assert await tx.value("select count(*) from import_file") == 0
        await tx.execute("update import set reason = 'as a person left it'")
    await fail_left(worker)
    assert (await seen(place, made)).reason == "as a person left it", "said once"
    assert (await imported(place, worker, csv("ana@example.org,,,true,,"))).state == "done"


@pytest.mark.parametrize("how", ["discarded", "dead"])
async def test_an_undoing_whose_job_is_gone_can_be_begun_again(
    place: Place, worker: Database, owner: Database, how: str
) -> None:
    """E2, N8: what was undone stays so, the rest is undone by the next."""
    view = await imported(place, worker, first(GHOST, 600))
    async with place.transaction() as tx:
        await begin_undo(tx, view.id, "Ana Moreau")
    await run_once(worker, lambda: True)
    await gone(owner, "undo_import", how)
    await fail_left(worker)
    half = await seen(place, view.id)
    assert (half.state, half.undo_gone) == ("failed", 500)
    assert half.reason
    assert half.reason.startswith("Undoing it was given up (")
    async with place.transaction() as tx:
        await begin_undo(tx, view.id, "Ana Moreau")
    await fail_left(worker)
    assert (await seen(place, view.id)).state == "undoing", "another job is there"
    await run_once(worker)
    await settled(worker)
    await fail_left(worker)
    over = await seen(place, view.id)
    assert (over.state, over.undo_gone, (await whole(place))[0]) == ("undone", 600, 0)
