"""Lists whose ids other calls ask for: segments, plans, what waits for its time."""

from datetime import timedelta

from app.audiences import ReaderFilter, make_segment
from app.base import clock
from app.base.database import Database
from app.plans import plan_named
from tests.posts.clients import served
from tests.posts.makers import make_desk, make_post
from tests.publishing.makers import counts, make_readers


async def test_segments_and_plans_are_listed_with_the_ids_that_other_calls_take(web: Database) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 3)
    async with web.transaction(desk.account_id) as tx:
        segment = await make_segment(tx, "Active", ReaderFilter(state="active"), "Ana")
        gold = await plan_named(tx, "gold", "Gold")
    async with served(web, desk) as here:
        segments = (await here.api.get("segments")).json()
        plans = (await here.api.get("plans")).json()
        draft = await make_post(web, desk)
        taken = await here.api.post(
            f"posts/{draft.post_id}/publish", json={"email": {"segment": str(segment)}}
        )
    (one,) = segments["items"]
    assert (one["id"], one["name"], one["readers"], one["filter"]) == (
        str(segment),
        "Active",
        3,
        {"state": "active"},
    )
    assert (segments["next"], plans["next"]) == (None, None)
    assert [(line["id"], line["slug"], line["readers"]) for line in plans["items"]] == [
        (str(gold), "gold", 0)
    ]
    assert taken.status_code == 202, taken.text


async def test_what_waits_is_read_and_cancelled_by_the_id_that_publish_answered(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk, "A bird")
    at = (clock.now() + timedelta(hours=5)).replace(microsecond=0)
    async with served(web, desk) as here:
        made = await here.api.post(
            f"posts/{draft.post_id}/publish", json={"site": True, "at": at.isoformat()}
        )
        waiting = made.json()["scheduled"]
        listed = (await here.api.get("scheduled")).json()["items"]
        assert listed == [(await here.api.get(f"scheduled/{waiting}")).json()]
        assert (listed[0]["state"], listed[0]["title"], listed[0]["email"]) == ("waiting", "A bird", False)
        cancelled = await here.api.post(f"scheduled/{waiting}/cancel")
        assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")
        again = await here.api.post(f"scheduled/{waiting}/cancel")
        assert again.status_code == 409
        assert (await here.api.get(f"scheduled/{draft.post_id}")).status_code == 404
    assert (await counts(web, desk))["release"] == 0
