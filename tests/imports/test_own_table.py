"""Our own table of readers, out and in again: nobody gets what they did not ask for (field cases E)."""

import io
import zipfile
from collections.abc import Mapping

import pytest

from app.audiences.criteria import EVERYBODY
from app.audiences.exporting import csv_lines
from app.base.database import Database
from app.imports.undoing import begin_undo
from app.imports.whole import export_everything
from app.readers import erase_reader, find_reader, unsubscribe
from app.suppressions import suppress, suppression_of
from tests.imports.makers import imported, run_once, settled
from tests.readers.makers import Place, a_place, another_newsletter

HEAD = "email,name,state,newsletters,blocked,tags,note,source,joined_at\n"


async def downloaded(place: Place) -> bytes:
    """What Readers → Download gives."""
    return "".join([line async for line in csv_lines(place.transaction, EVERYBODY)]).encode()


async def from_the_zip(place: Place) -> bytes:
    """readers.csv of a whole export."""
    file = io.BytesIO()
    await export_everything(place.web, place.id, file)
    with zipfile.ZipFile(file) as archive:
        return archive.read("readers.csv")


TABLES = pytest.mark.parametrize("table_of", [downloaded, from_the_zip])


async def everything(owner: Database, place: Place) -> list[Mapping[str, object]]:
    """All that an import could change of readers, for a comparison, ids apart."""
    statement = """
        select r.email, r.name, r.note, r.extra,
            (select jsonb_agg(tag order by tag) from reader_tag t where t.reader_id = r.id) as tags,
            (select jsonb_agg(jsonb_build_array(n.slug, s.state) order by n.slug)
             from subscription s join newsletter n on n.id = s.newsletter_id
             where s.reader_id = r.id) as subscriptions,
            (select reason from suppression x
             where x.account_id = r.account_id and x.address = r.email) as blocked
        from reader r where r.account_id = :account order by r.email"""
    async with owner.transaction() as tx:
        return [row._mapping for row in await tx.rows(statement, account=place.id)]


async def furnished(web: Database, owner: Database) -> Place:
    """Two newsletters, and a reader of each kind that a table must not mistake for another."""
    place = await a_place(web)
    notes = await another_newsletter(owner, place)
    await place.reader("both@example.org", newsletters=(place.newsletter_id, notes), name="=cmd()|x")
    await place.reader("one@example.org", newsletters=(notes,), tags=("a, b", 'say "hi"', "plain", "x;y"))
    await place.reader("none@example.org", newsletters=())
    left = await place.reader("left@example.org", newsletters=(place.newsletter_id, notes), note="a\nb, c")
    waits = await place.reader("waits@example.org", newsletters=(place.newsletter_id, notes), tags=("'=x",))
    await place.reader("spam@example.org", newsletters=(notes,), tags=("[odd",))
    away = await place.reader("away@example.org")
    async with place.transaction() as tx:
        await unsubscribe(tx, left.id, notes, "by the button")
        await tx.execute(
            "update subscription set state = 'pending' where reader_id = :id and newsletter_id = :notes",
            id=waits.id,
            notes=notes,
        )
        await unsubscribe(tx, away.id, None, "by the button")
        await suppress(tx, "away@example.org", "bounce", "550")
        await suppress(tx, "spam@example.org", "complaint")
    return place


@TABLES
async def test_our_own_table_brought_back_changes_nothing(
    web: Database, worker: Database, owner: Database, table_of
) -> None:
    place = await furnished(web, owner)
    before = await everything(owner, place)
    again = await imported(place, worker, await table_of(place), "csv")
    assert (again.unchanged, again.rows) == (7, 7)
    assert await everything(owner, place) == before


@TABLES
async def test_in_another_publication_everybody_stands_as_they_did(
    web: Database, worker: Database, owner: Database, table_of
) -> None:
    """A complaint is a complaint there too, and one tag is one tag."""
    place = await furnished(web, owner)
    table = await table_of(place)
    other = await a_place(web, "elsewhere")
    await another_newsletter(owner, other)
    there = await imported(other, worker, table, "godwit")
    assert (there.created, there.rows) == (7, 7)
    assert (there.subscribed, there.unsubscribed, there.blocked, there.pending) == (4, 1, 2, 0)
    assert await everything(owner, other) == await everything(owner, place)


async def test_who_was_erased_since_does_not_come_back_by_an_old_table(
    web: Database, worker: Database, owner: Database
) -> None:
    place = await furnished(web, owner)
    table = await downloaded(place)
    async with place.transaction() as tx:
        one = await find_reader(tx, "one@example.org")
        assert one
        await erase_reader(tx, one.id)
    again = await imported(place, worker, table, "auto")
    assert (again.skipped, again.unchanged) == (1, 6)


async def test_a_newsletter_that_is_not_here_is_named_and_gives_nobody_another(
    web: Database, worker: Database, owner: Database
) -> None:
    place = await furnished(web, owner)
    table = await downloaded(place)
    other = await a_place(web, "elsewhere")
    there = await imported(other, worker, table, "auto")
    assert (there.created, there.skipped) == (2, 5)
    async with other.transaction() as tx:
        reason = await tx.value("select reason from import_problem limit 1")
        assert await find_reader(tx, "one@example.org") is None
        blocked = await suppression_of(tx, "away@example.org")
    assert reason.startswith("There is no newsletter “field-notes” here. Make one")
    assert blocked
    assert blocked.reason == "bounce"


async def test_what_the_table_did_to_another_newsletter_is_undone(
    web: Database, worker: Database, owner: Database
) -> None:
    place = await furnished(web, owner)
    before = await everything(owner, place)
    rows = (
        "one@example.org,,unsubscribed,field-notes: unsubscribed,,,,,\n"
        "none@example.org,,active,field-notes: active,,,,,\n"
        "waits@example.org,,active,field-notes: active,,,,,\n"
    )
    made = await imported(place, worker, (HEAD + rows).encode(), "auto")
    assert (made.updated, made.subscribed, made.unsubscribed) == (3, 2, 1)
    async with place.transaction() as tx:
        one, none = [await find_reader(tx, f"{name}@example.org") for name in ("one", "none")]
        assert one
        assert none
        assert (one.newsletters, none.newsletters) == ((), ("field-notes",))
        await begin_undo(tx, made.id, "Ana")
    await run_once(worker)
    await settled(worker)
    assert await everything(owner, place) == before


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("a@b.example,,active,,,,,,", "newsletters names none"),
        ("a@b.example,,active,newsletter: maybe,,,,,", "newsletters has “newsletter: maybe”"),
        ("a@b.example,,perhaps,newsletter: active,,,,,", "state is “perhaps”"),
        ("a@b.example,,active,newsletter: active,why,,,,", "blocked is “why”"),
    ],
)
async def test_a_cell_that_cannot_be_read_fails_its_row(
    web: Database, worker: Database, row: str, reason: str
) -> None:
    place = await a_place(web)
    made = await imported(place, worker, f"{HEAD}{row}\n".encode(), "auto")
    assert made.failed == 1
    async with place.transaction() as tx:
        assert reason in await tx.value("select reason from import_problem")


async def test_a_stricter_word_wins_over_the_newsletters(
    web: Database, worker: Database, owner: Database
) -> None:
    """Wherever `unsubscribed` was written, also in a second row; a complaint is stronger than a bounce."""
    place = await a_place(web)
    rows = (
        "a@b.example,,unsubscribed,newsletter: active,,,,,\n"
        "c@b.example,,active,newsletter: active,,,,,\n"
        "c@b.example,,unsubscribed,newsletter: unsubscribed,,,,,\n"
        "d@b.example,,suppressed,newsletter: active,bounce,,,,\n"
        "d@b.example,,suppressed,newsletter: active,complaint,,,,\n"
    )
    made = await imported(place, worker, (HEAD + rows).encode(), "auto")
    assert (made.created, made.unsubscribed, made.blocked, made.subscribed) == (3, 2, 1, 0)
    async with place.transaction() as tx:
        blocked = await suppression_of(tx, "d@b.example")
    assert blocked
    assert blocked.reason == "complaint"
