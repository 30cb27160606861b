"""The undo time of what was scheduled: in front of a person's press, and of no clock's."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from app.base.database import Database
from app.publishing import publish_due
from tests.posts.clients import served
from tests.posts.makers import Desk, make_desk, make_post
from tests.publishing.makers import counts, make_readers
from tests.publishing.test_schedule import ahead

_WAIT = "select round(extract(epoch from starts_at - created_at)) from mailing"


async def waits(web: Database, desk: Desk) -> int:
    """Seconds between the start of the only mailing and when its audience may be read."""
    async with web.transaction(desk.account_id) as tx:
        return int(await tx.value(_WAIT))


def in_days(days: int) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).isoformat()


async def due(worker: Database, desk: Desk, scheduled_id: str) -> None:
    async with worker.transaction(desk.account_id) as tx:
        assert await publish_due(tx, UUID(scheduled_id))


async def test_sent_now_by_a_person_it_waits_the_undo_time_and_can_be_undone(web: Database) -> None:
    """Contract: the studio waits the account's undo time; product: a big Undo follows the press."""
    desk = await make_desk(web)
    await make_readers(web, desk, 3)
    draft = await make_post(web, desk)
    async with served(web, desk) as here:
        asked = {"site": True, "email": {}, "at": in_days(3)}
        made = (await here.api.post(f"posts/{draft.post_id}/publish", json=asked)).json()
        page = await here.studio.get(f"scheduled/{made['scheduled']}")
        assert "30 s" in page.text
        gone = await here.studio.post(f"scheduled/{made['scheduled']}/publish", data={"shown": "3"})
        email = await here.studio.get(gone.headers["location"].partition("/studio/tidelines/")[2])
        assert await waits(web, desk) == 30
        assert ">Undo<" in email.text
        async with web.transaction(desk.account_id) as tx:
            broadcast_id = await tx.value("select id from broadcast")
        await here.studio.post(f"broadcasts/{broadcast_id}/cancel")
    async with web.transaction(desk.account_id) as tx:
        assert await tx.value("select state from mailing") == "cancelled"


@pytest.mark.parametrize(("asked", "seconds"), [({}, 0), ({"undo_seconds": 60}, 60)])
async def test_at_its_time_it_starts_at_once_or_after_the_undo_time_that_was_asked_for(
    web: Database, worker: Database, owner: Database, asked: dict[str, int], seconds: int
) -> None:
    """Contract: `undo_seconds` of a call with `at` is kept; the time that was promised has none in front."""
    desk = await make_desk(web)
    await make_readers(web, desk, 3)
    draft = await make_post(web, desk)
    async with served(web, desk) as here:
        answer = await here.api.post(
            f"posts/{draft.post_id}/publish", json={"site": True, "email": asked, "at": in_days(1)}
        )
        assert answer.status_code == 202
        page = (await here.studio.get(f"scheduled/{answer.json()['scheduled']}")).text
        assert ("60 s after" in page) == bool(asked)
    await ahead(owner, 25)
    await due(worker, desk, answer.json()["scheduled"])
    assert await waits(web, desk) == seconds


async def test_a_press_that_names_no_count_mails_nobody(web: Database) -> None:
    """Promise 4 holds for what was scheduled too."""
    desk = await make_desk(web)
    await make_readers(web, desk, 3)
    async with served(web, desk) as here:
        mailed, alone = [
            (
                await here.api.post(
                    f"posts/{(await make_post(web, desk, title)).post_id}/publish",
                    json={"site": True, "email": email, "at": in_days(3)},
                )
            ).json()["scheduled"]
            for title, email in (("One", {}), ("Two", None))
        ]
        refused = await here.studio.post(f"scheduled/{mailed}/publish", data={})
        assert (refused.status_code, "This form is not whole" in refused.text) == (422, True)
        assert (await counts(web, desk))["broadcast"] == 0
        assert (await here.studio.post(f"scheduled/{alone}/publish", data={})).status_code == 303
    assert (await counts(web, desk))["release"] == 1
