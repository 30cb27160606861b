"""What webhooks are told of a reader's plan: by the transaction that gives or ends it (W1)."""

from datetime import datetime
from uuid import UUID

import pytest

from app.base.database import Database
from app.base.errors import Conflict
from app.plans import end_entitlement, entitlements_of, grant
from app.readers import ReaderView, erase_reader
from tests.announced import listen, rolled_back, told
from tests.plans.makers import a_plan, give
from tests.readers.makers import Place, a_place


@pytest.fixture
async def place(web: Database) -> Place:
    made = await a_place(web)
    await listen(web, made.id)
    return made


@pytest.fixture
async def anna(place: Place) -> ReaderView:
    return await place.reader("anna@example.org")


def iso(at: datetime | None) -> str | None:
    """As the API writes a time."""
    return at.isoformat().replace("+00:00", "Z") if at else None


async def expected(place: Place, anna: ReaderView, plan: UUID, live: bool) -> dict[str, object]:
    """What stands in the books of her access."""
    async with place.transaction() as tx:
        [one] = await entitlements_of(tx, anna.id)
    return {
        "subscription": {
            "id": str(one.id),
            "reader": str(anna.id),
            "plan": str(plan),
            "plan_name": "Gold",
            "source": "comp",
            "starts_at": iso(one.starts_at),
            "ends_at": iso(one.ends_at),
            "live": live,
        }
    }


async def test_access_given_and_ended_by_hand_is_told_once_each(place: Place, anna: ReaderView) -> None:
    """Why it was given and by whom is nobody's business outside."""
    gold = await a_plan(place)
    made = await give(place, anna.id, gold)
    with pytest.raises(Conflict):
        await give(place, anna.id, gold)
    started = ("subscription.started", await expected(place, anna, gold, live=True))
    for done in (True, False):
        async with place.transaction() as tx:
            assert await end_entitlement(tx, anna.id, made, "Ana") is done
    ended = ("subscription.ended", await expected(place, anna, gold, live=False))
    news = await told(place.web, place.id, "subscription.started", "subscription.ended")
    assert news == [started, ended]
    assert "a test" not in str(news)


async def test_what_an_import_brings_is_told_by_no_event_of_its_own(place: Place, anna: ReaderView) -> None:
    """Engine 3: an import announces import.finished only. What a source repeats changes nothing."""
    gold = await a_plan(place)
    for _ in range(2):
        await give(place, anna.id, gold, source="import", reference="row 7")
        await give(place, anna.id, gold, source="gift", reference="gift 7")
    assert [kind for kind, _ in await told(place.web, place.id)][1:] == ["subscription.started"]


async def test_access_that_is_rolled_back_is_told_to_nobody(place: Place, anna: ReaderView) -> None:
    """W1."""
    gold = await a_plan(place)
    async with rolled_back(place.web, place.id) as tx:
        await grant(tx, anna.id, gold, source="comp", reason="a friend", by="Ana")
    assert await told(place.web, place.id, "subscription.started") == []


async def test_what_was_told_of_an_erased_readers_plan_goes_with_them(place: Place, anna: ReaderView) -> None:
    """R4: nobody numbered it, so nobody is sent it."""
    await give(place, anna.id, await a_plan(place))
    async with place.transaction() as tx:
        await erase_reader(tx, anna.id)
    assert [kind for kind, _ in await told(place.web, place.id)] == ["reader.erased"]
