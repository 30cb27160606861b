"""An act whose job is gone says so, and can be ordered anew (E2)."""

import httpx
import pytest

from app.audiences.bulk import NewAct, bulk_act, order_act
from app.audiences.criteria import ReaderFilter
from app.audiences.left import fail_left
from app.base.database import Database
from tests.readers.makers import Place

_TAKEN = """
update job set state = 'leased', leased_by = 'w', leased_until = now(), leased_at = now(), lease = 1
where kind = 'act_on_readers'
"""
_DEAD = """
update job set state = 'dead', reason = 'so it was said', leased_by = null, leased_until = null,
    leased_at = null
where kind = 'act_on_readers'
"""


@pytest.mark.parametrize("end", ["dead", "discarded"])
async def test_an_act_whose_job_is_gone_fails_with_the_reason(
    place: Place, studio: httpx.AsyncClient, worker: Database, owner: Database, end: str
) -> None:
    """E2: nobody waits for it; what was done stays done, the rest is ordered anew."""
    await place.reader("r@example.org", tags=("birds",))
    async with place.transaction() as tx:
        made = await order_act(tx, NewAct("tag", ReaderFilter(any_tags=("birds",)), 1, "Ana", tag="sea"))
    await fail_left(worker)
    async with place.transaction() as tx:
        assert (await bulk_act(tx, made)).state == "queued", "its job is there"
    async with owner.transaction() as tx:
        if end == "discarded":
            assert await tx.value(
                "select discard_job(id, 'so it was said') from job where kind = 'act_on_readers'"
            )
        else:
            await tx.execute(_TAKEN)
            await tx.execute(_DEAD)
    await fail_left(worker)
    async with place.transaction() as tx:
        found = await bulk_act(tx, made)
    assert (found.state, found.is_over) == ("failed", True)
    assert found.reason == "It was given up (so it was said). What was done stays done; order the rest anew."
