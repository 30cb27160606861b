"""Plans and a reader's access at the desk, without a script."""

from datetime import timedelta
from uuid import UUID

import httpx
import pytest

from app.base import clock, ids
from app.base.database import Database
from tests.accounts.makers import become
from tests.plans.makers import a_plan, give, seen_as
from tests.readers.makers import a_place
from tests.readers.visitors import STUDIO, creator, opened


async def test_a_plan_is_made_changed_moved_and_archived(web: Database) -> None:
    place = await a_place(web)
    async with opened() as site, await creator(site, place) as desk:
        assert "There is no plan yet" in (await desk.get(f"{STUDIO}/plans")).text
        for name in ("Gold", "Silver"):
            assert (await desk.post(f"{STUDIO}/plans", data={"name": name})).status_code == 303
        async with place.transaction() as tx:
            rows = await tx.rows("select id, name from plan")
        gold, silver = (str(row.id) for row in sorted(rows, key=lambda row: row.name))
        await desk.post(f"{STUDIO}/plans/{silver}/move", data={"to": "up"})
        listed = (await desk.get(f"{STUDIO}/plans")).text
        assert listed.index(silver) < listed.index(gold)
        await desk.post(
            f"{STUDIO}/plans/{gold}", data={"name": "Golden", "slug": "gold", "description": "All"}
        )
        shown = await desk.get(f"{STUDIO}/plans/{gold}")
        assert "Golden" in shown.text
        await desk.post(f"{STUDIO}/plans/{gold}/archive")
        assert "Offer it again" in (await desk.get(f"{STUDIO}/plans/{gold}")).text
        await desk.post(f"{STUDIO}/plans/{gold}/offer")
        assert "Archive the plan" in (await desk.get(f"{STUDIO}/plans/{gold}")).text


async def test_what_was_typed_comes_back_with_what_is_wrong(web: Database) -> None:
    place = await a_place(web)
    gold = await a_plan(place)
    async with opened() as site, await creator(site, place) as desk:
        made = await desk.post(f"{STUDIO}/plans", data={"name": "Gold", "description": "<typed>"})
        assert made.status_code == 422
        assert "Another plan has the short name" in made.text
        assert "&lt;typed&gt;" in made.text
        changed = await desk.post(f"{STUDIO}/plans/{gold}", data={"name": "", "description": "typed"})
        assert changed.status_code == 422
        assert "Give the plan a name." in changed.text
        assert "typed" in changed.text
        assert (await desk.get(f"{STUDIO}/plans/{ids.new()}")).status_code == 404
        assert (await desk.post(f"{STUDIO}/plans/{ids.new()}/archive")).status_code == 404


async def test_access_is_given_with_a_reason_and_an_end_and_ended(web: Database) -> None:
    """Promises 4 and 6 as a creator meets them."""
    place = await a_place(web)
    gold, anna = await a_plan(place), await place.reader()
    url = f"{STUDIO}/readers/{anna.id}/access"
    day = (clock.now() + timedelta(days=40)).date().isoformat()
    async with opened() as site, await creator(site, place) as desk:
        assert "has no plan" in (await desk.get(url)).text
        data = {"plan": str(gold), "reason": "My <editor>", "ends": day}
        assert (await desk.post(url, data=data)).status_code == 303
        assert (await seen_as(place, anna.id)).plans == {gold}
        shown = (await desk.get(url)).text
        assert "anna@example.org has Gold." in shown
        assert "My &lt;editor&gt;" in shown
        assert "given by hand by Ana Moreau" in shown
        again = await desk.post(url, data=data)
        assert again.status_code == 422
        assert "They have Gold already, until" in again.text
        ended = await desk.post(f"{url}/{await _only(place)}/end")
        assert ended.status_code == 303
        assert "ended by Ana Moreau" in (await desk.get(url)).text
        assert (await seen_as(place, anna.id)).plans == frozenset()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"plan": "x", "reason": "r"}, "Choose a plan."),
        ({"reason": ""}, "Say why they get it"),
        ({"reason": "r", "ends": "tomorrow"}, "year-month-day"),
        ({"reason": "r", "ends": "2020-01-01"}, "past already"),
        ({"reason": "r", "ends": "9999-12-31"}, "to 2100"),
        ({"reason": "r" * 501}, "at most 500"),
    ],
)
async def test_what_cannot_be_given_is_said_beside_the_field(
    web: Database, data: dict[str, str], words: str
) -> None:
    place = await a_place(web)
    gold, anna = await a_plan(place), await place.reader()
    async with opened() as site, await creator(site, place) as desk:
        url = f"{STUDIO}/readers/{anna.id}/access"
        answer: httpx.Response = await desk.post(url, data={"plan": str(gold), **data})
        assert (answer.status_code, words in answer.text) == (422, True)
        assert f'value="{data["reason"]}"' in answer.text
    assert (await seen_as(place, anna.id)).plans == frozenset()


async def test_an_end_at_the_end_of_time_is_shown_in_every_zone(web: Database, owner: Database) -> None:
    """What an import brought: in a zone ahead of UTC it has no day in the calendar."""
    place = await a_place(web)
    gold, anna = await a_plan(place), await place.reader()
    await give(place, anna.id, gold)
    async with owner.transaction() as tx:
        await tx.execute("update entitlement set ends_at = '9999-12-31 23:59:59Z'")
        await tx.execute("update account set zone = 'Asia/Tokyo'")
    async with opened() as site, await creator(site, place) as desk:
        shown = await desk.get(f"{STUDIO}/readers/{anna.id}/access")
    assert (shown.status_code, "31 December 9999" in shown.text) == (200, True)


async def test_a_writer_sees_plans_and_changes_nothing(web: Database, owner: Database) -> None:
    place = await a_place(web)
    gold, anna = await a_plan(place), await place.reader()
    given = await give(place, anna.id, gold)
    async with owner.transaction() as tx:
        await become(tx, "writer")
    async with opened() as site, await creator(site, place) as desk:
        for path in ("plans", f"plans/{gold}", f"readers/{anna.id}/access"):
            shown = await desk.get(f"{STUDIO}/{path}")
            assert shown.status_code == 200
            assert 'method="post" action="/studio/' not in shown.text
        for path in (
            "plans",
            f"plans/{gold}",
            f"plans/{gold}/archive",
            f"readers/{anna.id}/access/{given}/end",
        ):
            assert (await desk.post(f"{STUDIO}/{path}")).status_code == 403
    assert (await seen_as(place, anna.id)).plans == {gold}


async def _only(place) -> UUID:
    async with place.transaction() as tx:
        return await tx.value("select id from entitlement")
