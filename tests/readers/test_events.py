"""What webhooks are told of readers: in the change's own transaction, as the API tells it (W1)."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest

from app.base.database import Database
from app.jobs import AddressBounced, enqueue
from app.readers import (
    Change,
    add_reader,
    change_reader,
    erase_reader,
    unsubscribe,
    unsubscribe_many,
)
from app.readers.preferences import choose
from tests.announced import listen, rolled_back, told
from tests.messages.makers import a_loop, run
from tests.readers.mails import confirm_path
from tests.readers.makers import Place, a_place, another_newsletter
from tests.readers.visitors import opened, program, visitor
from workers import catalog

ANNA = "anna.quill@example.org"


@pytest.fixture
async def place(web: Database) -> Place:
    catalog.load()
    made = await a_place(web)
    await listen(web, made.id)
    return made


@pytest.fixture
async def web_app(place: Place) -> AsyncIterator[Any]:
    async with opened() as app:
        yield app


async def test_a_reader_who_is_added_with_consent_is_told_once_as_the_api_tells_them(
    place: Place, web_app: Any, owner: Database
) -> None:
    """W1: with their tags and all their newsletters, in one event; added again nothing is told."""
    await another_newsletter(owner, place)
    given = {
        "email": ANNA,
        "name": "Anna",
        "tags": ["friend"],
        "newsletters": ["tidelines", "field-notes"],
        "consent": {"source": "by phone"},
    }
    async with await program(web_app, place) as api:
        slugs = [one["slug"] for one in (await api.get("newsletters")).json()["items"]]
        given["newsletters"] = slugs
        made = (await api.post("readers", json=given)).json()
        assert (await api.post("readers", json=given)).status_code == 200
        shown = (await api.get(f"readers/{made['id']}")).json()
    assert await told(place.web, place.id) == [("reader.subscribed", {"reader": shown, "newsletters": slugs})]


async def test_who_only_asked_is_told_to_nobody_and_who_confirms_is(
    place: Place, web_app: Any, owner: Database
) -> None:
    """R8: anybody can ask for any address. The button pressed twice is one event."""
    async with visitor(web_app) as site, await program(web_app, place) as api:
        await site.post("/subscribe", data={"email": ANNA})
        assert (await api.post("readers", json={"email": "b@example.org"})).status_code == 201
        assert await told(place.web, place.id) == []
        path = await confirm_path(owner, ANNA)
        for _ in range(2):
            assert (await site.post(path)).status_code == 200
        [shown] = (await api.get("readers", params={"email": ANNA})).json()["items"]
    slugs = shown["newsletters"]
    assert await told(place.web, place.id) == [("reader.confirmed", {"reader": shown, "newsletters": slugs})]


async def test_a_reader_who_changes_what_they_get_is_told_by_what_they_did(
    place: Place, web_app: Any, owner: Database
) -> None:
    """R11: joining is their own word, leaving is leaving; both tell what stands afterwards."""
    other = await another_newsletter(owner, place)
    anna = await place.reader(ANNA)
    for _ in range(2):
        async with place.transaction() as tx:
            await choose(tx, anna.id, ["field-notes"])
    async with await program(web_app, place) as api:
        shown = (await api.get(f"readers/{anna.id}")).json()
    assert shown["newsletters"] == ["field-notes"]
    assert other is not None
    assert (await told(place.web, place.id))[1:] == [
        ("reader.confirmed", {"reader": shown, "newsletters": ["field-notes"]}),
        ("reader.unsubscribed", {"reader": shown, "newsletters": [anna.subscriptions[0].slug]}),
    ]


async def one_click(place: Place, reader_id: UUID) -> None:
    async with place.transaction() as tx:
        await unsubscribe(tx, reader_id, place.newsletter_id, "by one click")


async def from_all(place: Place, reader_id: UUID) -> None:
    async with place.transaction() as tx:
        await unsubscribe(tx, reader_id, None, "asked by phone")


async def with_others(place: Place, reader_id: UUID) -> None:
    async with place.transaction() as tx:
        await unsubscribe_many(tx, [reader_id], None, "with many others")


async def by_a_program(place: Place, reader_id: UUID) -> None:
    async with place.transaction() as tx:
        await change_reader(tx, reader_id, Change(newsletters=()), "by the API")


@pytest.mark.parametrize("leave", [one_click, from_all, with_others, by_a_program])
async def test_leaving_is_told_once_whoever_does_it(
    place: Place, web_app: Any, leave: Callable[[Place, UUID], Awaitable[None]]
) -> None:
    """W1: a second time changes nothing and tells nothing."""
    anna = await place.reader(ANNA)
    for _ in range(2):
        await leave(place, anna.id)
    async with await program(web_app, place) as api:
        shown = (await api.get(f"readers/{anna.id}")).json()
    assert shown["state"] == "unsubscribed"
    slugs = [anna.subscriptions[0].slug]
    assert await told(place.web, place.id, "reader.unsubscribed") == [
        ("reader.unsubscribed", {"reader": shown, "newsletters": slugs})
    ]


async def test_many_who_are_unsubscribed_at_once_are_told_one_by_one(place: Place) -> None:
    """Whoever keeps a list elsewhere must not miss one of them."""
    known = [await place.reader(f"reader{n}@example.org") for n in range(5)]
    async with place.transaction() as tx:
        assert await unsubscribe_many(tx, [one.id for one in known], None, "with many others") == 5
    news = await told(place.web, place.id, "reader.unsubscribed")
    assert {data["reader"]["email"] for _, data in news} == {one.email for one in known}
    assert len(news) == 5


@pytest.mark.parametrize("reason", ["bounce", "complaint"])
async def test_a_blocked_address_is_told_if_it_is_a_readers(
    place: Place, web_app: Any, worker: Database, reason: Any
) -> None:
    """The second bounce blocks nobody anew; an address that is nobody's is no reader's event."""
    anna = await place.reader(ANNA)
    async with place.transaction() as tx:
        for address in (ANNA, ANNA, "nobody@example.org"):
            await enqueue(tx, AddressBounced(address, reason, "550 no such user"))
    loop = a_loop(worker, "housekeeping")
    for _ in range(3):
        await run(loop)
    async with await program(web_app, place) as api:
        shown = (await api.get(f"readers/{anna.id}")).json()
    assert shown["state"] == "suppressed"
    assert await told(place.web, place.id, "reader.suppressed") == [
        ("reader.suppressed", {"reader": shown, "reason": reason})
    ]


async def test_an_erased_reader_is_told_by_their_id_alone(place: Place) -> None:
    """R4: what was told of them before keeps the id, and no more."""
    anna = await place.reader(ANNA, name="Anna Quill")
    async with place.transaction() as tx:
        assert await erase_reader(tx, anna.id)
    async with place.transaction() as tx:
        assert not await erase_reader(tx, anna.id)
    assert await told(place.web, place.id) == [("reader.erased", {"reader": {"id": str(anna.id)}})]


async def test_a_change_that_is_rolled_back_tells_nothing(place: Place) -> None:
    """W1: the event is a row of the same transaction."""
    anna = await place.reader(ANNA)
    before = await told(place.web, place.id)
    async with rolled_back(place.web, place.id) as tx:
        await add_reader(tx, place.new("ben@example.org"))
        await unsubscribe(tx, anna.id, None, "a test")
        await erase_reader(tx, anna.id)
    assert await told(place.web, place.id) == before


async def test_nothing_is_kept_while_nobody_listens(web: Database) -> None:
    """An account without a webhook pays for none."""
    quiet = await a_place(web, "quiet")
    anna = await quiet.reader(ANNA)
    await from_all(quiet, anna.id)
    assert await told(web, quiet.id) == []
