"""Who asked: the request's id goes with the work that it caused, however often that goes on."""

import pytest

from app.base.database import Database
from tests.broadcasts.makers import Studio
from tests.posts.makers import make_post
from tests.testing.makers import working
from tests.waiting import until

pytestmark = pytest.mark.anyio


async def test_what_a_request_causes_carries_its_id(studio: Studio, owner: Database) -> None:
    """Every answer carries X-Request-Id; jobs carry it as their cause, and what they enqueue."""
    draft = await make_post(studio.web, studio.desk, "The bird")
    told = await studio.api.post(
        f"/posts/{draft.post_id}/publish", json={"email": {}}, headers={"X-Request-Id": "asked-by-a-test"}
    )
    assert told.headers["x-request-id"] == "asked-by-a-test"

    async def causes() -> dict[str, str] | None:
        async with owner.transaction() as tx:
            rows = await tx.rows("select kind, cause from job")
        found = {row.kind: row.cause for row in rows}
        return found if "audit_mailing" in found else None

    async with working(studio.worker):
        found = await until(causes)
    assert found["build_broadcast"] == "asked-by-a-test"
