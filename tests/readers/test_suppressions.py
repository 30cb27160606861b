"""Blocked addresses: what lifts what, and what outlives whom (suppressions S2 to S6; field case J)."""

import httpx
import pytest
from sqlalchemy.exc import DBAPIError

from app import mail
from app.audiences import size
from app.base import clock
from app.base.database import Database
from app.base.errors import Conflict, Invalid
from app.readers import Consent, ReaderView, erase_reader
from app.suppressions import block_history, suppress, suppression_of, unblock
from tests.messages.makers import Provider, a_loop, run
from tests.readers.mails import confirm_path, queued
from tests.readers.makers import Place
from workers import catalog

ANNA = "anna@example.org"


async def blocked(place: Place, reason, email: str = ANNA) -> ReaderView:
    """A reader whose address is blocked."""
    made = await place.reader(email)
    async with place.transaction() as tx:
        assert await suppress(tx, email, reason, "550 5.1.1", by="Ana" if reason == "by_hand" else "")
    return made


async def reason_of(place: Place, email: str = ANNA) -> str | None:
    async with place.transaction() as tx:
        found = await suppression_of(tx, email)
    return found.reason if found else None


@pytest.mark.parametrize(
    ("reason", "owner", "own_confirm"),
    [("bounce", True, True), ("complaint", False, True), ("by_hand", True, False), ("erased", False, True)],
)
async def test_each_block_is_lifted_by_whom_it_may_be_and_by_nobody_else(
    place: Place, reason: str, owner: bool, own_confirm: bool
) -> None:
    """S4, S5: and the record says who and why."""
    await blocked(place, reason)
    for by, may in (("owner", owner), ("reader", own_confirm)):
        async with place.transaction() as tx:
            if may:
                assert await unblock(tx, ANNA, by=by, name="Ana", because="she wrote from it")
            else:
                with pytest.raises(Conflict, match="Only"):
                    await unblock(tx, ANNA, by=by, name="Ana", because="she wrote from it")
        assert (await reason_of(place) is None) == may
        async with place.transaction() as tx:
            await suppress(tx, ANNA, reason, by="Ana" if reason == "by_hand" else "")
    async with place.transaction() as tx:
        acts = [(one.act, one.by_kind, one.detail) for one in await block_history(tx, ANNA)]
    lifts = [
        ("lifted", by, "she wrote from it") for by, may in (("owner", owner), ("reader", own_confirm)) if may
    ]
    assert [one for one in acts if one[0] == "lifted"] == lifts
    assert len(acts) == 1 + 2 * len(lifts)


async def test_an_owner_says_why(place: Place) -> None:
    """S4: told by field; nothing is lifted."""
    await blocked(place, "bounce")
    async with place.transaction() as tx:
        with pytest.raises(Invalid, match="Say why"):
            await unblock(tx, ANNA, by="owner", name="Ana", because="  ")
    assert await reason_of(place) == "bounce"


async def test_the_table_refuses_what_nobody_may_lift(place: Place) -> None:
    """S4: also when our own code is wrong."""
    for by, reason in (("owner", "complaint"), ("system", "bounce"), ("reader", "by_hand")):
        with pytest.raises(DBAPIError, match="lifted_by_whom_it_may"):
            async with place.transaction() as tx:
                await tx.execute(
                    "insert into suppression_change (account_id, address, act, reason, by_kind, detail)"
                    " values (:account, :address, 'lifted', :reason, :by, 'so')",
                    account=place.id,
                    address=ANNA,
                    reason=reason,
                    by=by,
                )


@pytest.mark.parametrize("reason", ["bounce", "complaint"])
async def test_the_readers_own_confirm_lifts_a_bounce_and_a_complaint(
    place: Place, site: httpx.AsyncClient, owner: Database, reason: str
) -> None:
    """S4: asking alone does not."""
    await blocked(place, reason)
    await site.post("/subscribe", data={"email": ANNA})
    assert await reason_of(place) == reason
    assert 'data-state="done"' in (await site.post(await confirm_path(owner, ANNA))).text
    assert await reason_of(place) is None
    async with place.transaction() as tx:
        last = (await block_history(tx, ANNA))[-1]
        assert (last.act, last.by_kind) == ("lifted", "reader")
        assert (await size(tx, place.newsletter_id)).will == 1


async def test_what_a_blocked_reader_asks_for_is_handed_to_them_and_nothing_else(
    place: Place, site: httpx.AsyncClient, worker: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S4: without the mail that asks, and the code, a block that is theirs to lift could not be lifted."""
    catalog.load()
    provider = Provider(mail.Accepted())
    monkeypatch.setattr(mail, "current_provider", lambda: provider)
    for name, reason in (("anna", "complaint"), ("ben", "bounce"), ("cy", "by_hand")):
        await place.reader(f"{name}@example.org")
        await site.post("/subscribe", data={"email": f"{name}@example.org"})
        await site.post("/sign-in", data={"email": f"{name}@example.org"})
        async with place.transaction() as tx:
            await suppress(tx, f"{name}@example.org", reason, by="Ana" if reason == "by_hand" else "")
    for queue in ("messages", "codes_readers"):
        loop = a_loop(worker, queue)
        for _ in range(3):
            await run(loop)
    handed = [(letter.to.partition("@")[0], letter.kind) for letter in provider.handed]
    assert sorted(handed) == [
        ("anna", "code"),
        ("anna", "message"),
        ("ben", "code"),
        ("ben", "message"),
        ("cy", "code"),
    ]


async def test_a_block_newer_than_the_asking_stays(
    place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """S4: a complaint about what came meanwhile is newer than the reader's wish."""
    await place.reader()
    await blocked(place, "bounce", "ben@example.org")
    await site.post("/subscribe", data={"email": "ben@example.org"})
    async with owner.transaction() as tx:
        await tx.execute("delete from suppression")
    async with place.transaction() as tx:
        await suppress(tx, "ben@example.org", "complaint")
    shown = await site.post(await confirm_path(owner, "ben@example.org"))
    assert 'data-state="blocked"' in shown.text
    assert await reason_of(place, "ben@example.org") == "complaint"


async def test_a_block_by_the_team_is_not_asked_away(
    place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """S4: no mail goes there, and whoever asks sees no difference (readers R8)."""
    await blocked(place, "by_hand")
    assert (await site.post("/subscribe", data={"email": ANNA})).status_code == 303
    assert await queued(owner) == []


async def test_a_suppressed_reader_who_is_erased_and_joins_again_is_still_blocked(
    place: Place, owner: Database
) -> None:
    """S6; field case J: suppress, delete, re-join, send."""
    anna = await blocked(place, "complaint")
    async with place.transaction() as tx:
        await erase_reader(tx, anna.id)
    async with owner.transaction() as tx:
        for table in ("suppression", "suppression_change"):
            kept = await tx.value(f"select string_agg(t::text, ' ') from {table} t")
            assert "anna" not in kept
            assert "hash:" in kept
    async with place.transaction() as tx:
        block = await suppression_of(tx, ANNA)
        assert block is not None
        assert block.reason == "complaint"
    again = await place.reader(consent=Consent("a form, since then", clock.now()))
    assert again.state == "suppressed"
    async with place.transaction() as tx:
        assert (await size(tx, place.newsletter_id)).will == 0
        assert [one.act for one in await block_history(tx, ANNA)] == ["blocked"]
        assert await suppress(tx, ANNA, "bounce") is False


async def test_blocking_again_changes_nothing(place: Place) -> None:
    """S2: neither reason nor record."""
    await blocked(place, "complaint")
    async with place.transaction() as tx:
        assert await suppress(tx, ANNA, "bounce") is False
        assert len(await block_history(tx, ANNA)) == 1
    assert await reason_of(place) == "complaint"
