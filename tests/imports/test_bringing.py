"""Files of every product, tried first, brought for real, taken back (imports N1, N4, N5, N7 to N9)."""

from pathlib import Path

import pytest

from app.base.database import Database
from app.imports import import_problems
from app.imports.runs import FILE_KEPT_DAYS
from app.readers import erase_reader, find_reader, reader_counts
from app.suppressions import suppression_of
from tests.imports.makers import GHOST, begun, counts, csv, first, imported, run_once, seen
from tests.readers.makers import Place, a_place

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture
async def place(web: Database) -> Place:
    return await a_place(web)


def sample(name: str) -> bytes:
    return (DATA / name).read_bytes()


async def whole(place: Place) -> tuple[int, int, int, int, int]:
    async with place.transaction() as tx:
        there = await reader_counts(tx)
    return there.total, there.active, there.unsubscribed, there.pending, there.suppressed


async def everything(owner: Database, place: Place) -> list:
    """All that an import can touch, as rows."""
    async with owner.transaction(place.id) as tx:
        return [
            await tx.rows(statement)
            for statement in (
                "select id, email, name, note, extra from reader order by email",
                "select reader_id, newsletter_id, state, consent_source from subscription order by 1, 2",
                "select reader_id, tag from reader_tag order by 1, 2",
                "select reader_id, plan_id, reference from entitlement order by 1, 2, 3",
                "select address from suppression order by 1",
            )
        ]


SAMPLES = [
    ("ghost-members.csv", "ghost", (2000, 0, 0, 0, 0), (2000, 1846, 154, 0, 0)),
    ("substack-subscribers.csv", "substack", (600, 0, 0, 0, 0), (600, 570, 30, 0, 0)),
    ("mailchimp-subscribed.csv", "mailchimp", (500, 0, 0, 0, 0), (500, 500, 0, 0, 0)),
    ("mailchimp-unsubscribed.csv", "mailchimp", (50, 0, 0, 0, 0), (50, 0, 50, 0, 0)),
    ("mailchimp-cleaned.csv", "mailchimp", (20, 0, 0, 0, 0), (20, 0, 0, 0, 20)),
    ("beehiiv-subscribers.csv", "beehiiv", (300, 0, 0, 0, 0), (300, 249, 29, 22, 0)),
    ("messy-semicolon-bom.csv", "csv", (3, 0, 0, 1, 3), (3, 0, 0, 3, 0)),
    ("messy-utf16.csv", "csv", (1, 0, 0, 0, 0), (1, 0, 0, 1, 0)),
    ("messy-cp1252.csv", "csv", (1, 0, 0, 0, 0), (1, 0, 0, 1, 0)),
]


@pytest.mark.parametrize(("name", "format", "taken", "there"), SAMPLES)
async def test_each_sample_comes_in_with_its_counts_and_twice_changes_nothing(
    place: Place, worker: Database, name: str, format: str, taken: tuple, there: tuple
) -> None:
    """N1, N4, N9: shared/data/README."""
    first = await imported(place, worker, sample(name), format)
    assert (first.state, counts(first)) == ("done", taken)
    assert await whole(place) == there
    assert (first.subscribed, first.unsubscribed, first.pending, first.blocked) == there[1:]
    again = await imported(place, worker, sample(name), format)
    assert (again.state, counts(again)) == ("done", (0, 0, taken[0], *taken[3:]))
    assert await whole(place) == there


async def test_the_messy_file_names_its_lines(place: Place, worker: Database) -> None:
    """A quote that never closes: its line is named, nothing before it is lost."""
    view = await imported(place, worker, sample("messy-semicolon-bom.csv"), "csv")
    async with place.transaction() as tx:
        problems = await import_problems(tx, view.id)
    assert [(one.row, one.line, one.outcome) for one in problems] == [
        *((2, 3, "skipped"), (4, 5, "failed"), (6, 7, "failed"), (7, 8, "failed"))
    ]
    assert "Row 1 has the same address" in problems[0].reason
    assert "opens on line 8" in problems[3].reason


async def test_who_gets_access_is_told_before_and_after(place: Place, worker: Database) -> None:
    """Also by a dry run, and of those who are new; the same again gives nothing."""
    content = first(GHOST, 600)
    dry = await imported(place, worker, content, dry_run=True)
    real = await imported(place, worker, content)
    assert dry.access == real.access
    assert set(real.access) == {"Paid", "Supporter"}
    assert (await imported(place, worker, content)).access == {}
    async with place.transaction() as tx:
        assert sum(real.access.values()) == await tx.value("select count(*) from entitlement")


async def test_paying_substack_readers_have_access_until_it_expires(
    place: Place, worker: Database, owner: Database
) -> None:
    await imported(place, worker, sample("substack-subscribers.csv"), "substack")
    async with owner.transaction(place.id) as tx:
        assert await tx.value("select count(*) from entitlement where ends_at is not null") == 63


TABLE = b"email,name\nanna@example.org,Anna\nben@example.org,Ben\n"


async def test_nobody_is_active_whom_the_file_does_not_call_so(place: Place, worker: Database) -> None:
    """N9."""
    await imported(place, worker, TABLE, "csv")
    assert await whole(place) == (2, 0, 0, 2, 0)


async def test_a_statement_makes_them_active_and_is_their_consent(place: Place, worker: Database) -> None:
    """N9: and a second file with it lifts those who were pending."""
    await imported(place, worker, TABLE, "csv")
    view = await imported(place, worker, TABLE, "csv", consent_stated=True)
    assert counts(view) == (0, 2, 0, 0, 0)
    async with place.transaction() as tx:
        anna = await find_reader(tx, "anna@example.org")
    assert anna
    assert anna.state == "active"
    await imported(place, worker, b"email\ncora@example.org\n", "csv", consent_stated=True)
    async with place.transaction() as tx:
        cora = await find_reader(tx, "cora@example.org")
    assert cora
    assert "Ana Moreau stated that they agreed" in cora.subscriptions[0].consent_source


async def test_a_statement_does_not_lift_what_the_file_calls_pending(place: Place, worker: Database) -> None:
    """N9: beehiiv says pending; that is no silence."""
    await imported(place, worker, sample("beehiiv-subscribers.csv"), "beehiiv", consent_stated=True)
    assert (await whole(place))[3] == 22


async def test_complained_and_bounced_addresses_are_blocked_for_that(place: Place, worker: Database) -> None:
    content = (
        b"email_address,first_name,state,created_at,tags\n"
        b"a@example.org,,bounced,,\nb@example.org,,complained,,\nc@example.org,,cancelled,,\n"
    )
    view = await imported(place, worker, content, "kit")
    assert (view.blocked, view.unsubscribed) == (2, 1)
    async with place.transaction() as tx:
        blocks = [await suppression_of(tx, f"{who}@example.org") for who in "abc"]
    assert [one and one.reason for one in blocks] == ["bounce", "complaint", None]


async def test_a_dry_run_reports_the_same_and_changes_nothing(
    place: Place, worker: Database, owner: Database
) -> None:
    """N7."""
    await place.reader("reader0@xn--mller-kva.example", name="", tags=())
    before = await everything(owner, place)
    dry = await imported(place, worker, first(GHOST, 300), dry_run=True)
    assert (dry.state, dry.has_file) == ("done", True)
    assert await everything(owner, place) == before
    async with owner.transaction(place.id) as tx:
        assert await tx.value("select count(*) from import_change") == 0
    real = await imported(place, worker, first(GHOST, 300))
    assert counts(dry) == counts(real) == (299, 1, 0, 0, 0)
    assert (dry.subscribed, dry.unsubscribed) == (real.subscribed, real.unsubscribed)


async def test_a_time_that_cannot_be_is_kept_beside(place: Place, worker: Database, owner: Database) -> None:
    """Nobody joined a newsletter before there was email, nor next year."""
    await imported(
        place, worker, csv("anna@example.org,,,true,1971-01-01,", "ben@example.org,,,true,2190-01-01,")
    )
    async with owner.transaction() as tx:
        rows = await tx.rows("select joined_at > now() - interval '1 hour' as now, extra from reader")
        consents = await tx.value(
            "select count(*) from consent where at < now() - interval '1 hour' or at > now()"
        )
    assert [row.now for row in rows] == [True, True]
    assert all("joined_at" in row.extra for row in rows)
    assert consents == 0


async def test_an_import_that_waits_for_its_columns_has_no_job(place: Place, owner: Database) -> None:
    made = await begun(place, TABLE, "csv", waits=True)
    assert (await seen(place, made)).state == "waiting"
    async with owner.transaction() as tx:
        assert await tx.value("select count(*) from job where kind = 'import_readers'") == 0


async def test_a_file_that_nobody_goes_on_with_is_forgotten_after_a_week(
    place: Place, worker: Database, owner: Database
) -> None:
    """A file holds addresses: it is not kept for ever, also one that was in use when its week was over."""
    waits = await begun(place, TABLE, "csv", waits=True)
    dry = await imported(place, worker, TABLE, "csv", dry_run=True)
    late = await begun(place, TABLE, "csv", dry_run=True)
    async with owner.transaction() as tx:
        await tx.execute(
            "update import set created_at = created_at - interval '8 days',"
            " finished_at = finished_at - interval '8 days'"
        )
    await pruned(worker)
    async with owner.transaction() as tx:
        assert await tx.value("select import_id from import_file") == late
        assert await tx.value("select count(*) from import_file") == 1
    assert (await seen(place, waits)).state == "failed"
    assert not (await seen(place, dry.id)).has_file
    await run_once(worker)
    await pruned(worker)
    assert (await seen(place, late)).has_file
    async with owner.transaction() as tx:
        await tx.execute("update import set finished_at = finished_at - interval '8 days'")
    await pruned(worker)
    assert not (await seen(place, late)).has_file


async def pruned(worker: Database) -> None:
    """The sweep of a day."""
    async with worker.transaction() as tx:
        await tx.value("select prune_import_files(:days)", days=FILE_KEPT_DAYS)


async def test_erasing_a_reader_takes_what_an_import_noted_of_them(
    place: Place, worker: Database, owner: Database
) -> None:
    anna = await place.reader("anna@example.org")
    await imported(place, worker, csv("anna@example.org,Anna,a note,true,,"))
    async with owner.transaction() as tx:
        assert await tx.value("select before ->> 'note' from import_change") == "a note"
    async with place.transaction() as tx:
        await erase_reader(tx, anna.id)
    async with owner.transaction() as tx:
        assert await tx.value("select count(*) from import_change") == 0
