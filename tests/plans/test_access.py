"""Who may read what: the rule, by which right, until when (chapter head, promises 1 to 6)."""

import asyncio
from datetime import timedelta
from uuid import UUID

import pytest

from app.base import clock, ids
from app.base.database import Database
from app.base.errors import Conflict, Invalid, NotFound
from app.plans import NOBODY, Viewer, end_entitlement, entitlements_of, grant, may_read, viewer_of
from app.readers import erase_reader, unsubscribe
from tests.plans.makers import a_plan, give, seen_as
from tests.readers.makers import Place, a_place

GOLD, SILVER = UUID(int=1), UUID(int=2)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("viewer", "reads"),
    [
        (NOBODY, ["everyone"]),
        (Viewer(ids.new(), False, frozenset()), ["everyone"]),
        (Viewer(ids.new(), True, frozenset()), ["everyone", "subscribers"]),
        (Viewer(ids.new(), False, frozenset({SILVER})), ["everyone", "subscribers", "paid"]),
        (Viewer(ids.new(), True, frozenset({SILVER})), ["everyone", "subscribers", "paid"]),
        (Viewer(ids.new(), False, frozenset({GOLD})), ["everyone", "subscribers", "paid", "plan"]),
    ],
    ids=["stranger", "left", "free", "Silver, unsubscribed", "Silver", "Gold"],
)
def test_each_rung_opens_those_below_it(viewer: Viewer, reads: list[str]) -> None:
    """Promise 2. Field case M: a post for Gold was mailed in full to every payer."""
    asked = ["everyone", "subscribers", "paid", "plan"]
    assert [one for one in asked if may_read(one, GOLD, viewer)] == reads
    assert not may_read("staff", GOLD, viewer)
    assert not may_read("plan", None, viewer)


async def _kinds(place: Place, gold: UUID, silver: UUID) -> dict[str, UUID]:
    """One reader of every kind."""
    made = {
        name: (await place.reader(f"{name}@example.org")).id
        for name in ("free", "left", "silver", "gold", "over", "to-come", "gold-left")
    }
    now = clock.now()
    await give(place, made["silver"], silver)
    await give(place, made["gold"], gold, ends_at=now + HOUR)
    await give(place, made["over"], gold, "import", "ghost", now - HOUR, now - 2 * HOUR)
    await give(place, made["to-come"], gold, starts_at=now + HOUR)
    await give(place, made["gold-left"], gold)
    async with place.transaction() as tx:
        for name in ("left", "gold-left"):
            await unsubscribe(tx, made[name], None, "a test")
    return made


async def test_the_database_says_of_everybody_what_the_page_says_of_one(web: Database) -> None:
    """Promises 1 and 3: `entitled` for audiences, `may_read` for page, feed and API."""
    place = await a_place(web)
    gold, silver = await a_plan(place), await a_plan(place, "Silver")
    made = await _kinds(place, gold, silver)
    said: dict[str, list[str]] = {}
    for name, reader_id in [*made.items(), ("nobody", ids.new())]:
        async with place.transaction() as tx:
            viewer = await viewer_of(tx, reader_id)
            for access, plan_id in (
                ("everyone", None),
                ("subscribers", None),
                ("paid", None),
                ("plan", gold),
            ):
                asked = await tx.value(
                    "select entitled(:account, :reader, :access, :plan)",
                    account=place.id,
                    reader=reader_id,
                    access=access,
                    plan=plan_id,
                )
                assert asked == may_read(access, plan_id, viewer), (name, access)
                if asked:
                    said.setdefault(name, []).append(access)
    assert said == {
        "free": ["everyone", "subscribers"],
        "left": ["everyone"],
        "silver": ["everyone", "subscribers", "paid"],
        "gold": ["everyone", "subscribers", "paid", "plan"],
        "over": ["everyone", "subscribers"],
        "to-come": ["everyone", "subscribers"],
        "gold-left": ["everyone", "subscribers", "paid", "plan"],
        "nobody": ["everyone"],
    }


async def test_when_what_they_pay_for_ends_what_they_were_given_stays_and_no_more(web: Database) -> None:
    """Promise 4. Field case M: comp of A, pays for B, cancels: A until its end, all listed."""
    place = await a_place(web)
    a, b = await a_plan(place, "A"), await a_plan(place, "B")
    anna = await place.reader()
    now = clock.now()
    comp = await give(place, anna.id, a, ends_at=now + HOUR)
    paid = await give(place, anna.id, b, "stripe", "sub_1")
    assert (await seen_as(place, anna.id)).plans == {a, b}
    async with place.transaction() as tx:
        assert await end_entitlement(tx, anna.id, paid, "")
        assert not await end_entitlement(tx, anna.id, paid, "")
        listed = await entitlements_of(tx, anna.id)
    assert (await seen_as(place, anna.id)).plans == {a}
    assert [(one.plan, one.source, one.live, one.ends_at is not None) for one in listed] == [
        ("A", "comp", True, True),
        ("B", "stripe", False, True),
    ]
    async with place.transaction() as tx:
        assert await end_entitlement(tx, anna.id, comp, "Ana")
    assert (await seen_as(place, anna.id)).plans == frozenset()


async def test_what_a_source_brings_again_changes_nothing_also_after_it_was_ended_here(web: Database) -> None:
    """Promise 5."""
    place = await a_place(web)
    gold, anna = await a_plan(place), await place.reader()
    first = await give(place, anna.id, gold, "import", "ghost")
    assert await give(place, anna.id, gold, "import", "ghost") == first
    async with place.transaction() as tx:
        assert await end_entitlement(tx, anna.id, first, "Ana")
    assert await give(place, anna.id, gold, "import", "ghost") == first
    assert (await seen_as(place, anna.id)).plans == frozenset()


async def test_a_plan_is_given_by_hand_once_at_a_time(web: Database) -> None:
    """Promise 6: also by two at the same instant; and again once it is over."""
    place = await a_place(web)
    gold, anna = await a_plan(place), await place.reader()
    given = await asyncio.gather(*(give(place, anna.id, gold) for _ in range(3)), return_exceptions=True)
    assert sorted(type(one).__name__ for one in given) == ["Conflict", "Conflict", "UUID"]
    first = next(one for one in given if isinstance(one, UUID))
    with pytest.raises(Conflict, match="They have Gold already, without an end"):
        await give(place, anna.id, gold)
    async with place.transaction() as tx:
        await end_entitlement(tx, anna.id, first, "Ana")
    assert await give(place, anna.id, gold) != first


async def test_what_is_given_by_hand_says_why_and_has_its_end_to_come(web: Database) -> None:
    """Promise 6; the database refuses what a slip of ours would let by."""
    place = await a_place(web)
    gold, anna = await a_plan(place), await place.reader()
    async with place.transaction() as tx:
        with pytest.raises(Invalid, match="Say why"):
            await grant(tx, anna.id, gold, source="comp", reason=" \u200b ")
        with pytest.raises(Invalid, match="past already"):
            await grant(tx, anna.id, gold, source="comp", reason="r", ends_at=clock.now() - HOUR)
        with pytest.raises(NotFound):
            await grant(tx, ids.new(), gold, source="comp", reason="r")
    with pytest.raises(Exception, match="comp_has_reason"):
        async with place.transaction() as tx:
            await tx.execute(
                "insert into entitlement (account_id, id, reader_id, plan_id, source)"
                " values (:a, :id, :r, :p, 'comp')",
                a=place.id,
                id=ids.new(),
                r=anna.id,
                p=gold,
            )


async def test_who_is_erased_leaves_no_access_behind(web: Database) -> None:
    place = await a_place(web)
    gold, anna = await a_plan(place), await place.reader()
    await give(place, anna.id, gold)
    async with place.transaction() as tx:
        await erase_reader(tx, anna.id)
        assert await tx.value("select count(*) from entitlement") == 0
    assert await seen_as(place, anna.id) == NOBODY
