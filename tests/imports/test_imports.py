"""A file becomes readers, each once, and its counts add up (imports N1 to N6)."""

import pytest

from app.base.database import Database
from app.imports import import_problems
from app.imports.recording import record_rows
from app.imports.rows import ImportedRow
from app.imports.runs import begin_run
from app.jobs import Continue, Done
from app.readers import ReaderFilter, erase_reader, find_reader, readers, unsubscribe
from app.readers.counts import reader_counts
from app.readers.queries import consent_history
from app.suppressions import suppress
from tests.imports.makers import (
    GHOST,
    as_if_its_worker_died,
    begun,
    counts,
    csv,
    imported,
    run_once,
    seen,
)
from tests.readers.makers import Place, a_place


@pytest.fixture
async def place(web: Database) -> Place:
    return await a_place(web)


async def whole(place: Place):
    async with place.transaction() as tx:
        return await reader_counts(tx)


async def test_what_no_field_holds_is_kept_with_the_reader(place: Place, worker: Database) -> None:
    await imported(
        place,
        worker,
        b"id,email,name,note,subscribed_to_emails,stripe_customer_id,created_at,labels,Shoe size\n"
        b'abc,anna@example.org,Anna,\'=SUM(A1),true,cus_1,2021-09-22T01:13:17.000Z,"birds,sea",42\n',
    )
    async with place.transaction() as tx:
        anna = await find_reader(tx, "anna@example.org")
    assert anna
    assert (anna.name, anna.note, anna.tags) == ("Anna", "=SUM(A1)", ("birds", "sea"))
    assert anna.extra == {"id": "abc", "stripe_customer_id": "cus_1", "Shoe size": "42"}
    assert anna.joined_at.year == 2021
    assert anna.subscriptions[0].consent_at == anna.joined_at


async def test_an_import_never_lifts_an_unsubscribe_a_block_or_an_erasure(
    place: Place, worker: Database
) -> None:
    """N5."""
    left, blocked, erased = [await place.reader(f"{name}@example.org") for name in ("ben", "cora", "dora")]
    async with place.transaction() as tx:
        await unsubscribe(tx, left.id, None, "by the button")
        await suppress(tx, blocked.email, "complaint")
        await erase_reader(tx, erased.id)
    view = await imported(
        place,
        worker,
        csv("ben@example.org,,,true,,", "cora@example.org,,,true,,", "dora@example.org,,,true,,"),
    )
    assert (view.state, counts(view)) == ("done", (0, 0, 2, 1, 0))
    async with place.transaction() as tx:
        assert {one.email: one.state for one in await readers(tx, ReaderFilter())} == {
            "ben@example.org": "unsubscribed",
            "cora@example.org": "suppressed",
        }
        (problem,) = await import_problems(tx, view.id)
    assert (problem.row, problem.outcome) == (3, "skipped")
    assert "erased" in problem.reason


async def test_who_left_elsewhere_leaves_here(place: Place, worker: Database) -> None:
    """N5: the file's unsubscribe is taken over, also from the second row of an address."""
    await place.reader("ben@example.org")
    view = await imported(
        place,
        worker,
        csv("ben@example.org,,,false,,", "eva@example.org,,,true,,", "EVA@example.org,,,false,,"),
    )
    assert counts(view) == (1, 1, 0, 1, 0)
    assert (await whole(place)).unsubscribed == 2
    async with place.transaction() as tx:
        ben = await find_reader(tx, "ben@example.org")
        assert ben
        assert [entry.act for entry in await consent_history(tx, ben.id)] == ["subscribed", "unsubscribed"]


async def test_what_a_reader_has_is_filled_up_and_never_replaced(place: Place, worker: Database) -> None:
    await place.reader("anna@example.org", name="Anna", tags=("sea",))
    await place.reader("ben@example.org")
    view = await imported(
        place, worker, csv("anna@example.org,Annika,,true,,birds", "ben@example.org,Ben,,true,,")
    )
    assert counts(view) == (0, 2, 0, 0, 0)
    async with place.transaction() as tx:
        found = {one.email: one for one in await readers(tx, ReaderFilter())}
    assert (found["anna@example.org"].name, found["anna@example.org"].tags) == ("Anna", ("birds", "sea"))
    assert found["ben@example.org"].name == "Ben"


async def test_a_bad_row_is_told_and_spoils_no_other(place: Place, worker: Database) -> None:
    """N1, N3: ends done also when rows failed."""
    view = await imported(
        place,
        worker,
        csv(
            "anna@example.org,Anna,,true,,",
            "not an address,,,true,,",
            "nul@example.org,A\0B,,true,,",
            "ben@example.org,,,perhaps,,",
            "anna@EXAMPLE.org,,,true,,",
            "cora@example.org,,,true,,",
        ),
    )
    assert (view.state, counts(view)) == ("done", (2, 0, 0, 1, 3))
    async with place.transaction() as tx:
        problems = await import_problems(tx, view.id)
    assert [(one.row, one.line, one.outcome) for one in problems] == [
        (2, 3, "failed"),
        (3, 4, "failed"),
        (4, 5, "failed"),
        (5, 6, "skipped"),
    ]
    assert "NUL" in problems[1].reason


async def test_a_file_of_which_nobody_can_be_used_is_a_failure(place: Place, worker: Database) -> None:
    """N3: 0 imported is not a success."""
    view = await imported(place, worker, csv("nobody,,,true,,", "nobody else,,,true,,"))
    assert (view.state, view.reason) == ("failed", "None of its 2 rows could be used.")
    assert counts(view) == (0, 0, 0, 0, 2)


async def test_a_file_that_is_no_csv_fails_with_the_reason(place: Place, worker: Database) -> None:
    """N3, N6: also when it came past the edge."""
    view = await imported(place, worker, b"%PDF-1.7 and more")
    assert view.state == "failed"
    assert view.reason
    assert "PDF" in view.reason


async def test_values_longer_than_their_field_are_kept_whole(place: Place, worker: Database) -> None:
    label, note = "x" * 300, "n" * 6000
    view = await imported(place, worker, csv(f"anna@example.org,,{note},true,,{label}"))
    assert (view.state, counts(view)) == ("done", (1, 0, 0, 0, 0))
    async with place.transaction() as tx:
        anna = await find_reader(tx, "anna@example.org")
    assert anna
    assert (len(anna.note), anna.extra["note"], anna.extra["labels"]) == (5000, note, label)


async def test_a_worker_told_to_stop_hands_back_the_rest(
    place: Place, worker: Database, owner: Database
) -> None:
    """N2, E9."""
    made = await begun(place, GHOST)
    assert await run_once(worker, lambda: True) == Continue()
    view = await seen(place, made)
    assert (view.state, view.rows, counts(view)) == ("running", 500, (500, 0, 0, 0, 0))
    await as_if_its_worker_died(owner)
    assert await run_once(worker) == Done()
    view = await seen(place, made)
    assert (view.state, counts(view)) == ("done", (2000, 0, 0, 0, 0))


async def test_an_import_that_is_over_is_not_run_again(
    place: Place, worker: Database, owner: Database
) -> None:
    """N3."""
    made = await begun(place, csv("anna@example.org,,,true,,"))
    await run_once(worker)
    before = await seen(place, made)
    await as_if_its_worker_died(owner)
    assert await run_once(worker) == Done()
    assert await seen(place, made) == before


async def test_a_row_that_the_database_refuses_fails_alone(place: Place, worker: Database) -> None:
    """N1, N3: whatever a file brings, no row takes its neighbours with it."""
    made = await begun(place, csv("x@example.org,,,true,,"))
    rows = [
        ImportedRow(n, n + 1, f"reader{n}@example.org", "", "x" * 600 if n == 3 else "Name", "active")
        for n in range(1, 8)
    ]
    async with worker.transaction(place.id) as tx:
        run = await begin_run(tx, made)
        assert run
        assert (await record_rows(tx, run, rows)).rows == 7
    assert counts(await seen(place, made)) == (6, 0, 0, 0, 1)
    async with place.transaction() as tx:
        (problem,) = await import_problems(tx, made)
    assert (problem.row, problem.outcome) == (3, "failed")


async def test_rows_committed_by_another_are_not_counted_twice(place: Place, worker: Database) -> None:
    """N1, N2: the place in the file moves by compare-and-set."""
    made = await begun(place, csv("x@example.org,,,true,,"))
    row = ImportedRow(1, 2, "anna@example.org", "", "Anna", "active")
    async with worker.transaction(place.id) as tx:
        run = await begin_run(tx, made)
        assert run
        await record_rows(tx, run, [row])
    with pytest.raises(RuntimeError, match="moved by somebody else"):
        async with worker.transaction(place.id) as tx:
            await record_rows(tx, run, [row])
    assert counts(await seen(place, made)) == (1, 0, 0, 0, 0)


async def test_an_import_that_breaks_at_every_try_ends_failed(
    place: Place, worker: Database, owner: Database
) -> None:
    """N3: the last try buries it, with the reason."""
    made = await begun(place, GHOST)
    await run_once(worker, lambda: True)
    async with owner.transaction() as tx:
        await tx.execute("update job set attempts = max_attempts - 1")
    await as_if_its_worker_died(owner)
    assert await run_once(worker) == Done()
    view = await seen(place, made)
    assert (view.state, view.rows, counts(view)) == ("failed", 500, (500, 0, 0, 0, 0))
    assert view.reason
    assert view.reason.startswith("It broke 19 times, the last time after row 500.")
