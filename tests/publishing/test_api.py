"""Publishing by the API: once per key, and options of later parts by name."""

import asyncio

import pytest

from app.base.database import Database
from tests.posts.clients import served
from tests.posts.makers import make_desk, make_post
from tests.publishing.makers import counts, make_readers


async def test_one_key_publishes_once(web: Database) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 3)
    draft = await make_post(web, desk)
    async with served(web, desk) as here:

        async def press() -> tuple[int, dict[str, object]]:
            answer = await here.api.post(
                f"posts/{draft.post_id}/publish",
                json={"site": True, "email": {"subject": "Hi"}},
                headers={"Idempotency-Key": "one"},
            )
            return answer.status_code, answer.json()

        answers = await asyncio.gather(press(), press(), press())
        done = [body for status, body in answers if status == 202]
        assert done
        assert {status for status, _ in answers} <= {202, 409}
        assert (await press()) == (202, done[0])
        assert done[0]["release"] == 1
        assert done[0]["scheduled"] is None
    assert await counts(web, desk) == {
        "revision": 1,
        "release": 1,
        "broadcast": 1,
        "mailing": 1,
        "publication": 1,
    }


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"site": True, "at": "2021-01-01T00:00:00Z"}, 422, "is past"),
        ({"site": True, "at": "2027-01-01T00:00:00"}, 422, "at: "),
        ({"site": True, "at": "9999-12-31T23:59:59-14:00"}, 422, "at: "),
        ({"site": True, "at": "tomorrow"}, 422, "at: "),
        ({"at": "2027-01-01T00:00:00Z"}, 422, "Choose where it goes"),
        ({"email": {"newsletter": "none"}, "at": "2027-01-01T00:00:00Z"}, 422, "no newsletter"),
        ({"email": {"newsletter": ""}, "at": "2027-01-01T00:00:00Z"}, 422, "no newsletter"),
        ({"email": {"segment": "x"}}, 422, "no segment"),
        ({"email": {"undo_seconds": -1}}, 422, "0"),
        ({"email": {"undo_seconds": 601}}, 422, "600"),
        ({"site": True, "theme": "x"}, 422, "theme"),
        ({}, 422, "Choose where it goes"),
        ({"email": {}}, 422, "Nobody would get it"),
        ({"email": {"newsletter": "none"}}, 422, "no newsletter"),
        ({"site": True, "version": 7}, 409, "version 1"),
    ],
)
async def test_what_is_not_possible_is_named_and_nothing_is_published(
    web: Database, body: dict[str, object], status: int, words: str
) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    async with served(web, desk) as here:
        answer = await here.api.post(f"posts/{draft.post_id}/publish", json=body)
        assert (answer.status_code, words in answer.text) == (status, True), answer.text
        assert (await here.api.get("releases")).json()["items"] == []


async def test_a_post_that_is_not_there_is_not_published(web: Database) -> None:
    desk = await make_desk(web)
    async with served(web, desk) as here:
        unknown = "posts/01890a5d-ac96-774b-bcce-b302099a8057/publish"
        assert (await here.api.post(unknown, json={"site": True})).status_code == 404
