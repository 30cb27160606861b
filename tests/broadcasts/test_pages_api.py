"""Broadcasts in the JSON API."""

import pytest

from tests.broadcasts.makers import Studio
from tests.ledger.makers import working
from tests.waiting import until

pytestmark = pytest.mark.anyio

PARTS = ("sent", "failed", "skipped", "unknown", "to_go")


async def test_a_broadcast_tells_its_figures_and_they_add_up(studio: Studio) -> None:
    """L7."""
    broadcast_id = await studio.press("The bird")
    fresh = (await studio.api.get(f"/broadcasts/{broadcast_id}")).json()
    assert fresh["state"] == "building"
    assert fresh["audience"] == sum(fresh[part] for part in PARTS) == 0

    async def is_over() -> dict | None:
        told = (await studio.api.get(f"/broadcasts/{broadcast_id}")).json()
        assert told["audience"] == sum(told[part] for part in PARTS)
        return told if told["balanced"] is not None else None

    async with working(studio.worker):
        told = await until(is_over)
    assert told["state"] == "finished"
    assert told["audience"] == told["sent"] == 12
    assert (told["newsletter"], told["release"], told["title"]) == ("newsletter", 1, "The bird")
    assert told["created_at"].endswith("Z")
    assert (await studio.api.get("/broadcasts")).json()["items"] == [told]


async def test_sends_go_by_state_and_by_page_each_reader_once(studio: Studio) -> None:
    broadcast_id = await studio.press()
    await studio.read_audience(broadcast_id)
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        asked = {"state": "planned", "limit": "5"} | ({"cursor": cursor} if cursor else {})
        told = (await studio.api.get(f"/broadcasts/{broadcast_id}/sends", params=asked)).json()
        seen += [send["email"] for send in told["items"]]
        cursor = told["next"]
    assert sorted(seen) == sorted(f"reader{n}@example.org" for n in range(1, 13))
    first = (await studio.api.get(f"/broadcasts/{broadcast_id}/sends?limit=1")).json()["items"][0]
    assert set(first) == {"reader", "email", "state", "reason", "batch", "times"}
    assert first["batch"] is None
    assert (await studio.api.get(f"/broadcasts/{broadcast_id}/sends?state=sent")).json()["items"] == []


async def test_broadcasts_go_newest_first_by_page(studio: Studio) -> None:
    made = [str(await studio.press(f"Letter {n}")) for n in range(3)]
    first = (await studio.api.get("/broadcasts?limit=2")).json()
    rest = (await studio.api.get("/broadcasts", params={"limit": 2, "cursor": first["next"]})).json()
    assert [one["id"] for one in first["items"] + rest["items"]] == made[::-1]
    assert rest["next"] is None


@pytest.mark.parametrize(
    ("path", "status", "field"),
    [
        ("/broadcasts/not-an-id", 404, None),
        ("/broadcasts/018f0000-0000-7000-8000-000000000000", 404, None),
        ("/broadcasts/018f0000-0000-7000-8000-000000000000/sends", 404, None),
        ("/broadcasts/018f0000-0000-7000-8000-000000000000/sends?state=nope", 422, "state"),
        ("/broadcasts?limit=0", 422, "limit"),
        ("/broadcasts?limit=" + "9" * 5000, 422, "limit"),
        ("/broadcasts?cursor=nope", 422, "cursor"),
    ],
)
async def test_what_is_asked_wrongly_is_told_by_name(
    studio: Studio, path: str, status: int, field: str | None
) -> None:
    told = await studio.api.get(path)
    assert told.status_code == status
    assert told.headers["content-type"].startswith("application/problem+json")
    assert [one["field"] for one in told.json()["errors"]] == ([field] if field else [])
