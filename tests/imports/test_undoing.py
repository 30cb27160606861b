"""An import taken back: all that it did, and nothing that happened since (imports N8)."""

import asyncio
from uuid import UUID

import pytest

from app.base import tokens
from app.base.database import Database
from app.base.errors import Conflict
from app.imports.undoing import begin_undo, undo_size
from app.readers import Consent, find_reader, subscribe, unsubscribe
from app.readers.confirming import PURPOSE, confirm
from app.readers.subscriptions import rearrange
from tests.imports.makers import GHOST, begun, csv, first, imported, run_once, seen, settled
from tests.imports.test_bringing import everything, place, sample, whole
from tests.readers.makers import Place
from tests.waiting import until

__all__ = ["place"]


async def undone(place: Place, worker: Database, import_id) -> None:
    async with place.transaction() as tx:
        await begin_undo(tx, import_id, "Ana Moreau")
    await run_once(worker)
    await settled(worker)


async def test_an_import_that_is_undone_leaves_nothing(
    place: Place, worker: Database, owner: Database
) -> None:
    """N8: those who were there have what they had."""
    await place.reader("reader0@xn--mller-kva.example", name="", tags=("sea",))
    await place.reader("reader1@xn--mller-kva.example", name="Somebody")
    await imported(place, worker, b"email,state\nreader4@post.example.org,\n", "csv")
    before = await everything(owner, place)
    view = await imported(place, worker, first(GHOST, 300))
    assert await everything(owner, place) != before
    async with place.transaction() as tx:
        size = await undo_size(tx, view.id)
    assert (size.gone, size.restored, size.kept) == (297, 3, 0)
    await undone(place, worker, view.id)
    view = await seen(place, view.id)
    assert (view.state, view.undo_gone, view.undo_restored, view.undo_kept) == ("undone", 297, 3, 0)
    assert await everything(owner, place) == before


async def test_who_was_unsubscribed_by_a_wrong_file_is_back(place: Place, worker: Database) -> None:
    """N8: what the file did; not what they did themselves since."""
    anna, ben = await place.reader("anna@example.org"), await place.reader("ben@example.org")
    view = await imported(place, worker, csv("anna@example.org,,,false,,", "ben@example.org,,,false,,x"))
    async with place.transaction() as tx:
        await tx.execute("delete from subscription where reader_id = :id", id=ben.id)
        await subscribe(tx, ben.id, place.newsletter_id, Consent("a form"))
        await unsubscribe(tx, ben.id, None, "by the button")
    await undone(place, worker, view.id)
    async with place.transaction() as tx:
        states = {who: (await find_reader(tx, f"{who}@example.org")) for who in ("anna", "ben")}
    assert {who: one and one.state for who, one in states.items()} == {
        "anna": "active",
        "ben": "unsubscribed",
    }
    assert anna


async def test_who_did_something_since_stays(place: Place, worker: Database, owner: Database) -> None:
    """N8: mailed, changed a subscription, given access, confirmed."""
    names = ("anna", "ben", "dora")
    view = await imported(place, worker, csv(*(f"{name}@example.org,,,true,," for name in names)))
    async with place.transaction() as tx:
        found = await find_reader(tx, "ben@example.org")
        assert found
        await unsubscribe(tx, found.id, None, "by the button")
    async with owner.transaction(place.id) as tx:
        await tx.execute("update reader set confirmed_at = now() where email = 'dora@example.org'")
    async with place.transaction() as tx:
        size = await undo_size(tx, view.id)
    assert (size.gone, size.restored, size.kept) == (1, 0, 2)
    await undone(place, worker, view.id)
    async with place.transaction() as tx:
        left = [row.email for row in await tx.rows("select email from reader order by email")]
    assert left == ["ben@example.org", "dora@example.org"]


async def test_an_undo_that_stops_half_way_goes_on(place: Place, worker: Database, owner: Database) -> None:
    """N8, N2."""
    view = await imported(place, worker, first(GHOST, 600))
    async with place.transaction() as tx:
        await begin_undo(tx, view.id, "Ana Moreau")
    await run_once(worker, lambda: True)
    half = await seen(place, view.id)
    assert (half.state, half.undo_gone) == ("undoing", 500)
    async with owner.transaction() as tx:
        await tx.execute(
            "update job set state = 'ready', leased_until = null, leased_by = null, leased_at = null"
            " where state = 'leased'"
        )
    await run_once(worker)
    view = await seen(place, view.id)
    assert (view.state, view.undo_gone, (await whole(place))[0]) == ("undone", 600, 0)


async def test_blocks_stay_when_an_import_is_undone(place: Place, worker: Database) -> None:
    view = await imported(place, worker, sample("mailchimp-cleaned.csv"), "mailchimp")
    await undone(place, worker, view.id)
    async with place.transaction() as tx:
        assert await tx.value("select count(*) from suppression") == 20
        assert await tx.value("select count(*) from reader") == 0


async def test_only_what_still_stands_as_the_import_wrote_it_is_taken_back(
    place: Place, worker: Database, owner: Database
) -> None:
    """Columns of somebody known before: one that was written over since keeps what it has now."""
    anna = await place.reader("anna@example.org", tags=())
    async with owner.transaction() as tx:
        await tx.execute("""update reader set extra = '{"kept": "1", "was": "old", "later": "old"}'""")
    table = b"email,was,later,new\nanna@example.org,now,now,now\n"
    view = await imported(place, worker, table, "csv")
    async with owner.transaction() as tx:
        await tx.execute("""update reader set extra = extra || '{"later": "newer", "other": "2"}'""")
    await undone(place, worker, view.id)
    async with owner.transaction() as tx:
        extra = await tx.value("select extra from reader where id = :id", id=anna.id)
    assert extra == {"kept": "1", "was": "old", "later": "newer", "other": "2"}


async def test_a_name_or_note_that_was_written_over_since_stays(place: Place, worker: Database) -> None:
    """N8: the file had filled what was empty; the team corrected one of them."""
    anna = await place.reader("anna@example.org", name="")
    view = await imported(place, worker, b"email,name,note\nanna@example.org,Ana,from a fair\n", "csv")
    async with place.transaction() as tx:
        await tx.execute("update reader set name = 'Anna' where id = :id", id=anna.id)
    await undone(place, worker, view.id)
    async with place.transaction() as tx:
        found = await find_reader(tx, "anna@example.org")
    assert found
    assert (found.name, found.note) == ("Anna", "")


@pytest.mark.parametrize("second", ["false", "true"])
async def test_imports_of_one_reader_are_undone_the_newest_first(
    place: Place, worker: Database, second: str
) -> None:
    """N8: also one that changed nothing told of them; undone in turn, each is as before both."""
    anna = await place.reader("anna@example.org")
    one = await imported(place, worker, csv("anna@example.org,,,false,,", "ben@example.org,,,true,,"))
    two = await imported(place, worker, csv(f"anna@example.org,,,{second},,", "ben@example.org,,,false,,"))
    assert two.can_be_undone
    with pytest.raises(Conflict, match="Undo it first"):
        await undone(place, worker, one.id)
    for view in (two, one):
        await undone(place, worker, view.id)
    async with place.transaction() as tx:
        found = await find_reader(tx, "anna@example.org")
        assert await find_reader(tx, "ben@example.org") is None
    assert found
    assert (found.id, found.state) == (anna.id, "active")


async def test_none_is_undone_while_a_newer_one_is_under_way(place: Place, worker: Database) -> None:
    view = await imported(place, worker, csv("anna@example.org,,,true,,"))
    await begun(place, csv("ben@example.org,,,true,,"))
    with pytest.raises(Conflict, match="under way"):
        await undone(place, worker, view.id)


async def test_who_left_by_their_own_word_too_stays_so(place: Place, worker: Database) -> None:
    """N5: the file had unsubscribed them, so their press changed nothing; it is theirs all the same."""
    anna = await place.reader("anna@example.org")
    view = await imported(place, worker, csv("anna@example.org,,,false,,"))
    async with place.transaction() as tx:
        assert await unsubscribe(tx, anna.id, None, "by the link in a mail") == []
        assert await unsubscribe(tx, anna.id, None, "by the link in a mail") == []
    await undone(place, worker, view.id)
    async with place.transaction() as tx:
        found = await find_reader(tx, "anna@example.org")
        acts = await tx.value("select count(*) from consent where act = 'unsubscribed'")
    assert found
    assert found.state == "unsubscribed"
    assert acts == 2, "the file's and theirs, once each"


@pytest.mark.parametrize("how", ["by their own page", "by their link", "by the team"])
async def test_who_says_yes_after_a_file_did_stays(place: Place, worker: Database, how: str) -> None:
    """N8: they had it by the file alone, then said so themselves, or the team with a consent of its own."""
    anna = await place.reader("anna@example.org")
    async with place.transaction() as tx:
        await tx.execute("update subscription set state = 'pending' where reader_id = :id", id=anna.id)
        await tx.execute(
            "insert into confirmation (account_id, token_hash, reader_id, newsletter_ids, expires_at)"
            " values (:account, :hash, :id, array[cast(:newsletter as uuid)], now() + interval '7 days')",
            account=place.id,
            hash=tokens.keyed_hash(PURPOSE, "the link"),
            id=anna.id,
            newsletter=place.newsletter_id,
        )
    view = await imported(place, worker, csv("anna@example.org,,,true,,"))
    async with place.transaction() as tx:
        if how == "by the team":
            source = "imported by hand from a signed list"
            assert not await subscribe(tx, anna.id, place.newsletter_id, Consent(source))
        elif how == "by their link":
            assert (await confirm(tx, "the link")).state == "done"
        else:
            here, how = [place.newsletter_id], "on their own page"
            assert not await rearrange(tx, anna.id, join=here, leave=(), consent=None, how=how)
    await undone(place, worker, view.id)
    async with place.transaction() as tx:
        found = await find_reader(tx, "anna@example.org")
    assert found
    assert found.state == "active"


async def test_what_they_do_in_the_same_moment_is_waited_for(
    place: Place, worker: Database, owner: Database
) -> None:
    """N8: their press is not committed yet when the undoing comes to them."""
    view = await imported(place, worker, csv("anna@example.org,,,true,,"))

    async def waits() -> bool:
        async with owner.transaction() as tx:
            return bool(await tx.value("select exists (select from pg_locks where not granted)"))

    async with place.transaction() as tx:
        anna = await find_reader(tx, "anna@example.org")
        assert anna
        await unsubscribe(tx, anna.id, None, "by the link in a mail")
        undoing = asyncio.create_task(undone(place, worker, view.id))
        await until(waits)
    await undoing
    async with place.transaction() as tx:
        found = await find_reader(tx, "anna@example.org")
    assert found
    assert found.state == "unsubscribed"


SINCE = {
    "noted by the team": "update reader set note = 'met her in Texel' where id = :id",
    "tagged by the team": "insert into reader_tag (account_id, reader_id, tag) select account_id, id, 'sea'"
    " from reader where id = :id",
    "asked by a form": "insert into confirmation"
    " (account_id, token_hash, reader_id, newsletter_ids, expires_at)"
    " select account_id, '\\x00', id, '{}', now() + interval '7 days' from reader where id = :id",
    "signed in": "insert into reader_session (account_id, token_hash, reader_id, expires_at)"
    " select account_id, '\\x00', id, now() + interval '1 day' from reader where id = :id",
}


@pytest.mark.parametrize("since", SINCE)
async def test_whoever_is_more_by_now_than_the_import_made_them_stays(
    place: Place, worker: Database, owner: Database, since: str
) -> None:
    view = await imported(place, worker, csv("anna@example.org,Anna,,true,,x", "ben@example.org,,,true,,"))
    async with place.transaction() as tx:
        anna = await find_reader(tx, "anna@example.org")
    assert anna
    async with owner.transaction(place.id) as tx:
        await tx.execute(SINCE[since], id=anna.id)
    await undone(place, worker, view.id)
    async with place.transaction() as tx:
        left = [row.email for row in await tx.rows("select email from reader")]
    assert left == ["anna@example.org"]
    there = await seen(place, view.id)
    assert (there.undo_gone, there.undo_kept) == (1, 1)


async def as_an_older_version_did(owner: Database, import_id: UUID) -> None:
    """Without where its readers stand, and without what it changed."""
    async with owner.transaction() as tx:
        await tx.execute("update import set subscribed = 0, unsubscribed = 0, pending = 0, blocked = 0")
        await tx.execute("delete from import_change where import_id = :id", id=import_id)


async def test_an_import_of_an_older_version_is_not_offered_to_be_undone(
    place: Place, worker: Database, owner: Database
) -> None:
    view = await imported(place, worker, csv("anna@example.org,,,true,,"))
    await as_an_older_version_did(owner, view.id)
    assert not (await seen(place, view.id)).can_be_undone
    with pytest.raises(Conflict, match="nothing that can be undone"):
        async with place.transaction() as tx:
            await begin_undo(tx, view.id, "Ana Moreau")


async def test_an_import_that_an_older_version_began_goes_on(
    place: Place, worker: Database, owner: Database
) -> None:
    made = await begun(place, csv(*(f"reader{number}@example.org,,,true,," for number in range(600))))
    await run_once(worker, lambda: True)
    await as_an_older_version_did(owner, made)
    async with owner.transaction() as tx:
        await tx.execute(
            "update job set state = 'ready', leased_until = null, leased_by = null, leased_at = null"
            " where state = 'leased'"
        )
    await run_once(worker)
    view = await seen(place, made)
    assert (view.state, view.created, view.subscribed) == ("done", 600, 100)
