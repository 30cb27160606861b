"""Plans: made, changed, ordered, archived; and by whom."""

from uuid import UUID

import pytest

from app.base import ids
from app.base.database import Database
from app.base.errors import Conflict, Invalid, NotFound
from app.plans import plan, plan_named, plans
from app.plans.offers import MOST_PLANS, Offer, archive_plan, change_plan, make_plan, move_plan
from tests.plans.makers import a_plan, give, seen_as
from tests.readers.makers import Place, a_place


async def made(place: Place, name: str, slug: str = "") -> UUID:
    async with place.transaction() as tx:
        return await make_plan(tx, Offer(name, slug=slug))


async def offered(place: Place) -> list[str]:
    async with place.transaction() as tx:
        return [one.name for one in await plans(tx)]


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Gold", "gold"), ("Förderer & Freunde", "forderer-freunde"), ("支持者", "plan"), ("a" * 100, "a" * 63)],
)
async def test_a_short_name_follows_the_name_in_any_script(web: Database, name: str, slug: str) -> None:
    place = await a_place(web)
    await made(place, name)
    async with place.transaction() as tx:
        found = {one.slug: one.name for one in await plans(tx)}
    assert found == {slug: name}


@pytest.mark.parametrize(
    ("offer", "words"),
    [
        (Offer(""), "Give the plan a name"),
        (Offer("x" * 121), "at most 120"),
        (Offer("Gold", slug="Gold?"), "small letters"),
        (Offer("Gold", "x" * 501), "at most 500"),
    ],
)
async def test_what_cannot_be_a_plan_is_said(web: Database, offer: Offer, words: str) -> None:
    place = await a_place(web)
    async with place.transaction() as tx:
        with pytest.raises(Invalid, match=words):
            await make_plan(tx, offer)


async def test_two_plans_have_two_short_names(web: Database) -> None:
    place = await a_place(web)
    gold, silver = await made(place, "Gold"), await made(place, "Silver")
    async with place.transaction() as tx:
        with pytest.raises(Conflict, match="“gold”"):
            await make_plan(tx, Offer("Gold!"))
        with pytest.raises(Conflict, match="“gold”"):
            await change_plan(tx, silver, Offer("Silver", slug="gold"))
        await change_plan(tx, gold, Offer("Golden", "All of it.", "gold"))
        with pytest.raises(NotFound):
            await change_plan(tx, ids.new(), Offer("New"))
        assert (await plan(tx, gold)).description == "All of it."


async def test_there_is_an_end_to_how_many(web: Database) -> None:
    place = await a_place(web)
    async with place.transaction() as tx:
        for n in range(MOST_PLANS):
            await make_plan(tx, Offer(f"Plan {n}"))
        with pytest.raises(Conflict, match="50 plans"):
            await make_plan(tx, Offer("One more"))


async def test_plans_go_up_and_down_among_those_on_offer(web: Database) -> None:
    place = await a_place(web)
    a, b, c = [await made(place, name) for name in "ABC"]
    assert await offered(place) == ["A", "B", "C"]
    async with place.transaction() as tx:
        await archive_plan(tx, b, archived=True)
        await move_plan(tx, c, up=True)
        await move_plan(tx, c, up=True)
    assert await offered(place) == ["C", "A"]
    async with place.transaction() as tx:
        await move_plan(tx, c, up=False)
        with pytest.raises(NotFound):
            await move_plan(tx, b, up=True)
        await archive_plan(tx, b, archived=False)
    assert await offered(place) == ["A", "C", "B"] or await offered(place) == ["A", "B", "C"]
    assert a


async def test_who_has_an_archived_plan_keeps_it(web: Database) -> None:
    """Promise 7."""
    place = await a_place(web)
    gold, anna = await a_plan(place), await place.reader()
    await give(place, anna.id, gold)
    async with place.transaction() as tx:
        await archive_plan(tx, gold, archived=True)
        assert [one.readers for one in await plans(tx, archived=True)] == [1]
    assert await offered(place) == []
    assert (await seen_as(place, anna.id)).plans == {gold}


async def test_an_import_finds_its_plan_or_makes_it(web: Database) -> None:
    place = await a_place(web)
    async with place.transaction() as tx:
        first = await plan_named(tx, "Gold Tier", "Gold tier")
        assert await plan_named(tx, "gold-tier", "Renamed") == first
        assert (await plan(tx, first)).name == "Gold tier"
        assert await plan_named(tx, "", "") != first
