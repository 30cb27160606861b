"""A filter becomes a Select; what is left out is told, and opens as a list (audiences A1 to A5)."""

from dataclasses import replace
from datetime import UTC, date, datetime
from uuid import uuid4

import pytest
from sqlalchemy import func, select

from app.audiences import (
    AudienceSize,
    ReaderFilter,
    audience_lists,
    change_segment,
    delete_segment,
    fields_of,
    filter_of,
    make_segment,
    resolved,
    segment,
    segments,
    select_readers,
    size,
    stored_filter,
)
from app.audiences.filters import READER, conditions
from app.audiences.listing import count_found
from app.base.database import Database
from app.base.errors import Conflict, Invalid, NotFound
from app.plans import grant, plan_named
from app.readers import LeftOut, unsubscribe
from app.suppressions import suppress
from tests.readers.makers import Place, a_place, another_newsletter


async def found(place: Place, wanted: ReaderFilter) -> set[str]:
    """The first letters of the addresses that a filter finds."""
    async with place.transaction() as tx:
        whole = await resolved(tx, wanted)
        rows = await tx.rows(select(READER.c.email).where(*conditions(whole)))
    return {row.email.split("@")[0] for row in rows}


async def test_each_field_narrows_the_readers(place: Place, owner: Database) -> None:
    notes = await another_newsletter(owner, place)
    both = (place.newsletter_id, notes)
    anna = await place.reader(
        "anna@example.org", tags=("birds", "sea"), newsletters=both, name="Ünal Müller %_x"
    )
    ben = await place.reader("ben@example.org", tags=("birds",), source="form")
    cleo = await place.reader("cleo@example.org", newsletters=(notes,))
    dora = await place.reader("dora@bücher.example")
    async with place.transaction() as tx:
        await unsubscribe(tx, anna.id, notes, "x")
        await suppress(tx, dora.email, "bounce")
        gold = await plan_named(tx, "gold", "Gold")
        await grant(tx, cleo.id, gold, source="comp", reason="a friend", by="Ana")
        await tx.execute(
            "update reader set joined_at = '2026-03-01 02:30Z', form = 'fair' where id = :id", id=ben.id
        )
        await tx.execute("update account set zone = 'America/New_York' where id = :id", id=place.id)
    expected = {
        ReaderFilter(): {"anna", "ben", "cleo", "dora"},
        ReaderFilter(search="ün"): {"anna"},
        ReaderFilter(search="%_"): {"anna"},
        ReaderFilter(search="r %_X"): {"anna"},
        ReaderFilter(search="ü"): {"anna"},
        ReaderFilter(search="al"): set(),
        ReaderFilter(search="EXAMPLE.or"): {"anna", "ben", "cleo"},
        ReaderFilter(search="Dora@BÜCHER.example"): {"dora"},
        ReaderFilter(search="be"): {"ben"},
        ReaderFilter(search="Ben@EXAMPLE.org"): {"ben"},
        ReaderFilter(newsletter=notes): {"anna", "cleo"},
        ReaderFilter(newsletter=notes, state="unsubscribed"): {"anna"},
        ReaderFilter(newsletter=notes, state="active"): {"cleo"},
        ReaderFilter(state="active"): {"anna", "ben", "cleo"},
        ReaderFilter(state="suppressed"): {"dora"},
        ReaderFilter(any_tags=("sea", "birds")): {"anna", "ben"},
        ReaderFilter(all_tags=("sea", "birds")): {"anna"},
        ReaderFilter(no_tags=("sea",)): {"ben", "cleo", "dora"},
        ReaderFilter(plan="any"): {"cleo"},
        ReaderFilter(plan="none"): {"anna", "ben", "dora"},
        ReaderFilter(plan=gold): {"cleo"},
        ReaderFilter(plan=uuid4()): set(),
        ReaderFilter(source="form"): {"ben"},
        ReaderFilter(form="fair"): {"ben"},
        # 02:30 in UTC is the evening before in New York.
        ReaderFilter(joined_until=date(2026, 2, 28)): {"ben"},
        ReaderFilter(joined_from=date(2026, 2, 28), joined_until=date(2026, 2, 28)): {"ben"},
        ReaderFilter(joined_from=date(2026, 3, 1)): {"anna", "cleo", "dora"},
    }
    for wanted, letters in expected.items():
        assert await found(place, wanted) == letters, fields_of(wanted)
        assert filter_of({name: [text] for name, text in fields_of(wanted).items()}) == wanted
        assert stored_filter(fields_of(wanted)) == wanted


async def test_search_is_of_one_account(place: Place, web: Database) -> None:
    """T1: the function that looks beside the policies sees the transaction's account alone."""
    other = await a_place(web, "elsewhere")
    await other.reader("theirs@example.org")
    assert await found(place, ReaderFilter(search="theirs")) == set()
    async with place.transaction() as tx:
        assert await count_found(tx, ReaderFilter(search="theirs")) == 0
    async with web.transaction() as tx:
        assert await tx.rows("select search_readers('theirs', 'theirs')") == []


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"state": ["asleep"]}, "state"),
        ({"newsletter": ["x"]}, "newsletter"),
        ({"plan": ["gold"]}, "plan"),
        ({"source": ["theft"]}, "source"),
        ({"from": ["3 May"]}, "from"),
        ({"from": ["2026-05-03"], "until": ["2026-05-02"]}, "until"),
        ({"segment": ["x"]}, "segment"),
        ({"q": ["a\0b"]}, "q"),
        ({"q": ["x" * 255]}, "q"),
        ({"any": ["x" * 192]}, "any"),
        ({"all": [",".join(f"t{n}" for n in range(51))]}, "all"),
    ],
)
def test_a_field_that_cannot_be_read_is_named(given: dict[str, list[str]], wrong: str) -> None:
    """A3."""
    with pytest.raises(Invalid) as refused:
        filter_of(given)
    assert [problem.field for problem in refused.value.problems] == [wrong]


@pytest.mark.parametrize(
    "stored", [None, [], "x", {"state": ["active"]}, {"colour": "red"}, {"state": "asleep"}]
)
def test_a_stored_filter_that_cannot_be_read_is_refused(stored: object) -> None:
    """A3: never taken for a wider one."""
    with pytest.raises(Invalid):
        stored_filter(stored)


def test_tags_with_commas_and_quotes_come_back_as_they_were() -> None:
    wanted = ReaderFilter(any_tags=("a, b", 'say "x"', "plain"))
    assert filter_of({"any": [fields_of(wanted)["any"]]}) == wanted
    assert filter_of({"any": ['birds, "a, b"', "birds", ""]}).any_tags == ("birds", "a, b")


async def test_a_segment_narrows_an_audience_and_every_figure_opens_its_list(place: Place) -> None:
    """A1, A2, A4."""
    made = [await place.reader(f"r{n}@example.org", tags=("birds",) if n % 2 else ()) for n in range(9)]
    async with place.transaction() as tx:
        await unsubscribe(tx, made[1].id, None, "x")
        await suppress(tx, made[2].email, "complaint")
        await tx.execute("update subscription set state = 'pending' where reader_id = :id", id=made[3].id)
        birds = await make_segment(tx, " Birds ", ReaderFilter(any_tags=("birds",)), "Ana")
        of_birds = (await segment(tx, birds)).filter
        sized = await size(tx, place.newsletter_id, filter=of_birds)
        chosen = select_readers(place.newsletter_id, filter=of_birds)
        assert await tx.value(select(func.count()).select_from(chosen.subquery())) == sized.will
        assert await tx.rows(chosen.limit(0)) == []
    assert sized == AudienceSize(2, LeftOut(1, 1, 1), outside=4)
    assert sized.will + sized.left_out.total + sized.outside == len(made)
    lists = audience_lists(place.newsletter_id, birds)
    expected = {
        "will": {"r5", "r7"},
        "unsubscribed": {"r1"},
        "blocked": {"r2"},
        "unconfirmed": {"r3"},
        "outside": {"r0", "r4", "r6", "r8"},
    }
    assert lists.keys() == expected.keys()
    for name, query in lists.items():
        fields = dict(part.split("=") for part in query.split("&"))
        assert await found(place, stored_filter(fields)) == expected[name], name


async def test_a_paid_post_is_whole_for_those_entitled_and_a_preview_for_the_rest(place: Place) -> None:
    """A1: one rule with page and feed."""
    anna, ben = await place.reader("anna@example.org"), await place.reader("ben@example.org")
    async with place.transaction() as tx:
        gold, silver = await plan_named(tx, "gold", "Gold"), await plan_named(tx, "silver", "Silver")
        await grant(tx, anna.id, silver, source="comp", reason="a friend", by="Ana")

        async def variants(access: str, plan=None) -> list[str]:
            chosen = select_readers(place.newsletter_id, access=access, plan_id=plan)
            rows = {row.reader_id: row.variant for row in await tx.rows(chosen)}
            return [rows[anna.id], rows[ben.id]]

        assert await variants("everyone") == await variants("subscribers") == ["full", "full"]
        assert await variants("paid") == await variants("plan", silver) == ["full", "preview"]
        assert await variants("plan", gold) == ["preview", "preview"]
        assert (await size(tx, place.newsletter_id, access="plan", plan_id=silver)).previews == 1


async def test_the_worker_reads_the_same_audience(place: Place, worker: Database) -> None:
    """A1: the build runs as another role."""
    await place.reader("anna@example.org", tags=("birds",))
    await place.reader("ben@example.org", tags=("birds",))
    wanted = ReaderFilter(
        search="ann",
        state="active",
        any_tags=("birds",),
        plan="none",
        joined_from=date(2020, 1, 1),
        newsletter=place.newsletter_id,
    )
    async with worker.transaction(place.id) as tx:
        chosen = select_readers(
            place.newsletter_id, before=datetime(2100, 1, 1, tzinfo=UTC), filter=wanted, access="paid"
        )
        assert [row.variant for row in await tx.rows(chosen)] == ["preview"]


async def test_segments_are_made_changed_and_deleted(place: Place) -> None:
    """A5."""
    birds, sea = ReaderFilter(any_tags=("birds",)), ReaderFilter(any_tags=("sea",))
    async with place.transaction() as tx:
        made = await make_segment(tx, "Birds", birds, "Ana")
        other = await make_segment(tx, "a sea", sea, "Ana")
        with pytest.raises(Conflict):
            await make_segment(tx, "Birds", sea, "Ana")
        with pytest.raises(Conflict):
            await change_segment(tx, other, "Birds", sea)
        assert [one.name for one in await segments(tx)] == ["a sea", "Birds"]
        await change_segment(tx, made, "Sea", sea)
        assert (await segment(tx, made)).filter == sea
        assert (await segment(tx, made)).created_by == "Ana"
        for name, wanted in [("", birds), ("x" * 121, birds), ("All", ReaderFilter())]:
            with pytest.raises(Invalid):
                await make_segment(tx, name, wanted, "Ana")
        with pytest.raises(Invalid):
            await make_segment(tx, "Nested", replace(birds, segment=made), "Ana")
        with pytest.raises(Invalid):
            await delete_segment(tx, made, "Birds")
        await delete_segment(tx, made, "Sea")
        with pytest.raises(NotFound):
            await delete_segment(tx, made, "Sea")
        with pytest.raises(NotFound):
            await segment(tx, made)
        with pytest.raises(NotFound):
            await change_segment(tx, made, "Sea", sea)
        with pytest.raises(Invalid):
            await resolved(tx, ReaderFilter(outside=made))


async def test_outside_a_segment_are_all_the_others(place: Place) -> None:
    await place.reader("anna@example.org", tags=("birds",))
    await place.reader("ben@example.org")
    async with place.transaction() as tx:
        made = await make_segment(tx, "Birds", ReaderFilter(any_tags=("birds",), state="active"), "Ana")
    assert await found(place, ReaderFilter(segment=made)) == {"anna"}
    assert await found(place, ReaderFilter(outside=made)) == {"ben"}
