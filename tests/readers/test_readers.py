"""One address is one reader, and who left stays away (readers R1, R2, R4)."""

import asyncio

import pytest

from app.base import clock
from app.base.database import Database
from app.base.errors import Conflict, Invalid
from app.readers import (
    Change,
    Consent,
    ReaderFilter,
    add_reader,
    change_reader,
    erase_reader,
    find_reader,
    reader,
    reader_counts,
    readers,
    subscribe,
    unsubscribe,
    was_erased,
)
from app.readers.queries import consent_history
from app.suppressions import suppress
from tests.readers.makers import Place, a_place, another_newsletter


async def test_two_who_add_one_address_at_the_same_instant_make_one_reader(place: Place) -> None:
    """R1."""

    async def add(email: str):
        async with place.transaction() as tx:
            added = await add_reader(tx, place.new(email))
            await asyncio.sleep(0)  # let the other begin before this one commits
            return added

    one, other = await asyncio.gather(add("Foo@Example.org"), add("foo@example.org"))
    assert one.reader_id == other.reader_id
    assert sorted([one.created, other.created]) == [False, True]


async def test_an_address_with_a_domain_in_letters_and_its_coded_form_are_one_reader(place: Place) -> None:
    """R1: bücher.example is xn--bcher-kva.example, shown in its own letters."""
    first = await place.reader("anna@bücher.example")
    second = await place.reader("ANNA@xn--bcher-kva.example")
    assert first == second
    assert first.address == "anna@bücher.example"
    async with place.transaction() as tx:
        (found,) = await readers(tx, ReaderFilter(email="anna@xn--bcher-kva.example"))
        assert found.id == first.id


async def test_adding_somebody_who_is_there_changes_nothing(place: Place) -> None:
    """R1."""
    before = await place.reader(name="Anna", tags=("birds",))
    assert await place.reader(name="Somebody else", tags=("other",), note="new") == before


async def test_an_unsubscribe_is_not_lifted_by_adding_subscribing_or_changing(place: Place) -> None:
    """R2."""
    anna = await place.reader()
    async with place.transaction() as tx:
        assert await unsubscribe(tx, anna.id, None, "by the button") == [place.newsletter_id]
    assert (await place.reader()).state == "unsubscribed"
    async with place.transaction() as tx:
        with pytest.raises(Conflict, match="Only the reader"):
            await subscribe(tx, anna.id, place.newsletter_id, Consent("says the team"))
        for consent in (None, Consent("says the team")):
            change = Change(newsletters=(place.newsletter_id,), consent=consent)
            with pytest.raises(Conflict, match="Only the reader"):
                await change_reader(tx, anna.id, change, "changed")
    async with place.transaction() as tx:
        assert [(one.act, one.how) for one in await consent_history(tx, anna.id)] == [
            ("subscribed", "a form"),
            ("unsubscribed", "by the button"),
        ]


async def test_unsubscribing_twice_is_once(place: Place) -> None:
    anna = await place.reader()
    async with place.transaction() as tx:
        assert await unsubscribe(tx, anna.id, place.newsletter_id, "first")
        assert await unsubscribe(tx, anna.id, place.newsletter_id, "second") == []
        assert len(await consent_history(tx, anna.id)) == 2


async def test_a_reader_of_two_newsletters_leaves_one_or_all(place: Place, owner: Database) -> None:
    notes = await another_newsletter(owner, place)
    anna = await place.reader(newsletters=(place.newsletter_id, notes))
    async with place.transaction() as tx:
        await unsubscribe(tx, anna.id, notes, "by the button")
        now = await reader(tx, anna.id)
        assert now
        assert (now.state, now.newsletters) == ("active", ("newsletter",))
        await unsubscribe(tx, anna.id, None, "from all")
        now = await reader(tx, anna.id)
        assert now
        assert (now.state, now.newsletters) == ("unsubscribed", ())


async def test_a_new_newsletter_needs_consent(place: Place, owner: Database) -> None:
    notes = await another_newsletter(owner, place)
    anna = await place.reader()
    async with place.transaction() as tx:
        with pytest.raises(Invalid) as refused:
            await change_reader(tx, anna.id, Change(newsletters=(place.newsletter_id, notes)), "changed")
        assert [problem.field for problem in refused.value.problems] == ["consent"]
    async with place.transaction() as tx:
        change = Change(
            newsletters=(notes,), consent=Consent("asked by phone"), tags=("b", "a"), name="Anna B"
        )
        await change_reader(tx, anna.id, change, "changed")
        now = await reader(tx, anna.id)
    assert now
    assert (now.newsletters, now.tags, now.name) == (("field-notes",), ("a", "b"), "Anna B")


async def test_a_blocked_address_stays_blocked_when_it_comes_back(place: Place) -> None:
    """Suppressions S3: the block is on the address and outlives the reader."""
    anna = await place.reader()
    async with place.transaction() as tx:
        assert await suppress(tx, anna.email, "bounce")
        assert not await suppress(tx, anna.email, "by_hand")
        await erase_reader(tx, anna.id)
    since = Consent("a form, since then", clock.now())
    assert (await place.reader(consent=since)).state == "suppressed"


async def test_an_erased_reader_leaves_only_a_hash(place: Place, owner: Database) -> None:
    """R4."""
    anna = await place.reader(name="Anna", tags=("birds",), note="from the fair")
    async with place.transaction() as tx:
        assert await erase_reader(tx, anna.id)
        assert not await erase_reader(tx, anna.id)
        assert await was_erased(tx, anna.id)
        assert await find_reader(tx, anna.email) is None
        assert await readers(tx, ReaderFilter(tag="birds")) == []
    async with owner.transaction() as tx:
        (row,) = await tx.rows("select cast(e as text) as told from erased_reader e")
        assert "anna" not in row.told


async def test_only_a_newer_consent_brings_an_erased_address_back(place: Place, owner: Database) -> None:
    """R4: not the team's word either, nor a program's, that does not say when they agreed."""
    anna = await place.reader()
    async with place.transaction() as tx:
        before = await tx.value("select godwit_now()")
        await erase_reader(tx, anna.id)
    for consent in (Consent("an old list", before), Consent("Ana stated it in the studio")):
        with pytest.raises(Conflict, match="Only they themselves can come back"):
            await place.reader(consent=consent)
    assert (await place.reader(consent=Consent("a new form", clock.now()))).state == "active"


async def test_rows_added_while_paging_repeat_nobody(place: Place) -> None:
    """R6."""
    for n in range(7):
        await place.reader(f"reader{n}@example.org")
    seen: list[str] = []
    older = None
    async with place.transaction() as tx:
        while page := await readers(tx, ReaderFilter(), older=older, limit=3):
            seen += [one.email for one in page]
            older = (page[-1].joined_at, page[-1].id)
            await add_reader(tx, place.new(f"late{len(seen)}@example.org"))
    assert seen == [f"reader{n}@example.org" for n in reversed(range(7))]


async def test_the_page_before_is_found_again(place: Place) -> None:
    """R6."""
    for n in range(5):
        await place.reader(f"reader{n}@example.org")
    async with place.transaction() as tx:
        first = await readers(tx, ReaderFilter(), limit=2)
        second = await readers(tx, ReaderFilter(), older=(first[-1].joined_at, first[-1].id), limit=2)
        assert await readers(tx, ReaderFilter(), newer=(second[0].joined_at, second[0].id), limit=2) == first


async def test_filters_and_counts_tell_the_truth(place: Place, owner: Database) -> None:
    """R6."""
    active = await place.reader("anna@example.org", name="Ánna Öz", tags=("birds", "sea"))
    gone = await place.reader("ben@example.org", tags=("birds",))
    blocked = await place.reader("cora@example.org")
    pending = await place.reader("dora@example.org", newsletters=())
    async with owner.transaction(place.id) as tx:
        await tx.execute(
            "insert into subscription values (:a, :r, :n, 'pending', 'a form', godwit_now())",
            a=place.id,
            r=pending.id,
            n=place.newsletter_id,
        )
    async with place.transaction() as tx:
        await unsubscribe(tx, gone.id, None, "x")
        await suppress(tx, blocked.email, "complaint")

        async def found(**wanted) -> list:
            return [one.id for one in await readers(tx, ReaderFilter(**wanted))]

        assert await found(state="active") == [active.id]
        assert await found(state="unsubscribed") == [gone.id]
        assert await found(state="suppressed") == [blocked.id]
        assert await found(state="pending") == [pending.id]
        assert await found(tag="birds") == [gone.id, active.id]
        assert await found(tag="birds", state="active") == [active.id]
        assert await found(email="cora@example.org") == [blocked.id]
        counts = await reader_counts(tx)
        assert (counts.active, counts.pending, counts.unsubscribed, counts.suppressed) == (1, 1, 1, 1)
        assert counts.total == len(await readers(tx, ReaderFilter()))


async def test_another_account_sees_nobody(place: Place, web: Database) -> None:
    """T1."""
    anna = await place.reader()
    other = await a_place(web, "elsewhere")
    async with other.transaction() as tx:
        assert await reader(tx, anna.id) is None
        assert await find_reader(tx, anna.email) is None
        assert await unsubscribe(tx, anna.id, None, "not theirs") == []
        assert not await erase_reader(tx, anna.id)
    assert (await place.reader()).state == "active"
