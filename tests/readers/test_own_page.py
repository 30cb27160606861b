"""A reader's own page: what they see, change, take along and erase themselves (readers R2, R4, R7, R11)."""

import json

import httpx

from app.base import ids
from app.base.database import Database
from app.ledger import unsubscribe_token
from app.plans import end_entitlement, grant, plan_named
from app.readers import ReaderView, was_erased
from app.readers.queries import consent_history
from app.readers.subscriptions import unsubscribe
from app.suppressions import suppress, suppression_of
from tests.readers.mails import confirm_path
from tests.readers.makers import Place, another_newsletter
from tests.readers.visitors import now, sign_in

ANNA = "anna@example.org"


async def test_a_reader_chooses_what_they_get_and_takes_an_unsubscribe_back(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R2, R11: each newsletter on and off; it holds at once and is in the history."""
    await another_newsletter(owner, place)
    await sign_in(site, owner)
    for chosen, gets in (
        (["field-notes"], ("field-notes",)),
        ([], ()),
        (["newsletter", "field-notes", "no-such"], ("newsletter", "field-notes")),
    ):
        saved = await site.post("/me/newsletters", data={"newsletters": chosen})
        assert (saved.status_code, saved.headers["location"]) == (303, "/me")
        there = await now(place)
        assert there is not None
        assert there.newsletters == gets
    assert "Saved. It holds at once." in (await site.get("/me")).text
    async with place.transaction() as tx:
        history = await consent_history(tx, anna.id)
    assert [(one.act, one.how) for one in history[1:]] == [
        ("unsubscribed", "on their own page, signed in"),
        ("confirmed", "on their own page, signed in"),
    ] + [("unsubscribed", "on their own page, signed in")] + [
        ("confirmed", "on their own page, signed in")
    ] * 2


async def test_a_reader_changes_their_name_and_what_is_too_long_comes_back(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R11."""
    await sign_in(site, owner)
    await site.post("/me", data={"name": "Anna Karenina"})
    there = await now(place)
    assert there is not None
    assert there.name == "Anna Karenina"
    back = await site.post("/me", data={"name": "A" * 201})
    assert (back.status_code, "the most is 200" in back.text, "A" * 201 in back.text) == (422, True, True)


async def test_a_reader_ends_a_block_that_is_theirs_to_end(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """S4: a complaint is; what the team blocked is not, and the page says whom to write to."""
    async with place.transaction() as tx:
        await suppress(tx, ANNA, "complaint")
    await sign_in(site, owner)
    assert "A mail to you was reported as spam." in (await site.get("/me")).text
    await site.post("/me/unblock")
    async with place.transaction() as tx:
        assert await suppression_of(tx, ANNA) is None
        await suppress(tx, ANNA, "by_hand", by="Ana")
    assert "Mail me again" not in (await site.get("/me")).text
    refused = await site.post("/me/unblock")
    assert (refused.status_code, "Only its owner" in refused.text) == (422, True)


async def test_what_a_reader_may_read_is_shown_while_it_lasts(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R11: each plan with where from and until when; one that is over is not there."""
    async with owner.transaction() as tx:
        for name, ends in (("Gold", "3 days"), ("Silver", "-1 day")):
            plan, told = ids.new(), {"account": place.id, "reader": anna.id}
            await tx.execute(
                "insert into plan (account_id, id, slug, name) values (:account, :id, lower(:name), :name)",
                account=place.id,
                id=plan,
                name=name,
            )
            await tx.execute(
                "insert into entitlement"
                " (account_id, id, reader_id, plan_id, source, reason, starts_at, ends_at)"
                " values (:account, :id, :reader, :plan, 'comp', 'a friend',"
                " godwit_now() - interval '9 days',"
                f" godwit_now() + interval '{ends}')",
                **told,
                id=ids.new(),
                plan=plan,
            )
    await sign_in(site, owner)
    shown = (await site.get("/me")).text
    assert "<strong>Gold</strong>, a present of Tidelines, until" in shown
    assert "Silver" not in shown
    assert (await site.get("/me/data.json")).json()["access"][0]["plan"] == "Gold"


async def test_who_never_confirmed_may_do_so_on_their_own_page(
    place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R7: who signs in has the mailbox; ticking it is their own confirm, and it expires no more."""
    await site.post("/subscribe", data={"email": ANNA})
    await sign_in(site, owner)
    assert "You asked for it and have not confirmed" in (await site.get("/me")).text
    await site.post("/me/newsletters", data={"newsletters": "newsletter"})
    there = await now(place)
    assert there is not None
    assert there.state == "active"
    async with place.transaction() as tx:
        assert await tx.value("select confirmed_at is not null from reader")


async def test_a_reader_takes_their_data_along(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R11: everything kept of them, as JSON, and nothing of anybody else's."""
    await place.reader("ben@example.org")
    assert (await site.get("/me/data.json")).status_code == 303
    await sign_in(site, owner)
    got = await site.get("/me/data.json")
    assert got.headers["content-disposition"] == 'attachment; filename="tidelines-my-data.json"'
    data = json.loads(got.content)
    assert (data["address"], data["name"], data["publication"]) == (ANNA, "Anna", "Tidelines")
    assert data["newsletters"][0]["agreed"]["where"] == "a form"
    assert [one["act"] for one in data["consents"]] == ["subscribed"]
    assert len(data["sessions"]) == 1
    assert "ben@" not in got.text


#: Tables that know a reader by their id → where their copy tells it.
TOLD = {
    "confirmation": "asked",
    "consent": "consents",
    "entitlement": "access",
    "event": "announced",
    "import_change": "imports",
    "reader_session": "sessions",
    "reader_tag": "tags",
    "send": "mails",
    "subscription": "newsletters",
}
#: A hash without an address; a code that was mailed, ten minutes long; a doubt about a mail that is told; who
#: was tagged together, for thirty days, by which that is undone.
UNTOLD = {"erased_reader", "reader_code", "possible_double", "bulk_change"}


async def test_the_copy_has_every_table_that_knows_the_reader(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R11: also access that is over, automatic mails, what was asked for and where they came from."""
    async with place.transaction() as tx:
        gold = await plan_named(tx, "gold", "Gold")
        given = await grant(tx, anna.id, gold, source="comp", reason="a friend", by="Ana")
        await end_entitlement(tx, anna.id, given, "Ana")
    await sign_in(site, owner)
    data = (await site.get("/me/data.json")).json()
    async with owner.transaction() as tx:
        known = await tx.rows(
            "select distinct table_name from information_schema.columns join information_schema.tables"
            " using (table_schema, table_name) where table_type = 'BASE TABLE'"
            " and column_name in ('reader_id', 'thing_id') and table_schema = 'public'"
        )
    assert {row.table_name for row in known} == set(TOLD) | UNTOLD
    assert set(TOLD.values()) | {"blocks", "automatic_mails"} <= set(data)
    assert [(one["plan"], one["reason"], one["until"] is None) for one in data["access"]] == [
        ("Gold", "a friend", False)
    ]
    assert [one["mail"] for one in data["automatic_mails"]] != []
    assert "subject" in data["automatic_mails"][0]


async def test_a_reader_erases_themselves_by_typing_their_address(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R4, R11: nothing of them is left, not in the mails that were queued either, and they are signed out."""
    await sign_in(site, owner)
    wrong = await site.post("/me/erase", data={"address": "ben@example.org"})
    assert (wrong.status_code, "Nothing was erased" in wrong.text) == (422, True)
    assert 'value="ben@example.org"' in wrong.text
    done = await site.post("/me/erase", data={"address": " ANNA@example.org "})
    assert (done.status_code, "You are erased" in done.text) == (200, True)
    assert (await site.get("/me")).status_code == 303
    async with place.transaction() as tx:
        assert await was_erased(tx, anna.id)
    async with owner.transaction() as tx:
        for table in ("reader", "job", "reader_session", "reader_code", "consent"):
            kept = await tx.value(f"select coalesce(string_agg(t::text, ' '), '') from {table} t")
            assert "anna" not in kept.lower(), table


async def test_forms_of_other_sites_change_nothing_of_a_reader(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R11: with the reader's own cookie, as a browser would send it from a sister site."""
    await sign_in(site, owner)
    before = await now(place)
    for origin in ("https://evil.example", "http://elsewhere.localhost:8000", "null"):
        for path in ("/me", "/me/newsletters", "/me/erase", "/me/unblock", "/sign-out", "/sign-in/code"):
            refused = await site.post(path, data={"address": ANNA, "email": ANNA}, headers={"Origin": origin})
            assert refused.status_code == 403, (origin, path)
    assert await now(place) == before
    assert (await site.get("/me")).status_code == 200


async def test_the_unsubscribe_page_offers_the_way_back_by_their_own_confirm(
    anna: ReaderView, place: Place, site: httpx.AsyncClient, owner: Database
) -> None:
    """R2, R5: the link in a mail can leave, but only who has the mailbox comes back."""
    link = f"/unsubscribe/{unsubscribe_token(place.id, anna.id, place.newsletter_id)}"
    done = await site.post(link)
    assert 'action="/subscribe?source=unsubscribed"' in done.text
    await site.post("/subscribe?source=unsubscribed", data={"email": ANNA, "newsletter": "newsletter"})
    there = await now(place)
    assert there is not None
    assert there.state == "unsubscribed"
    await site.post(await confirm_path(owner, ANNA))
    there = await now(place)
    assert there is not None
    assert there.state == "active"
    async with place.transaction() as tx:
        await unsubscribe(tx, anna.id, None, "x")
    assert 'action="/subscribe?source=unsubscribed"' in (await site.get(link)).text


async def test_without_a_session_nothing_is_changed_and_one_is_sent_to_sign_in(
    anna: ReaderView, place: Place, site: httpx.AsyncClient
) -> None:
    """R11."""
    for path in ("/me", "/me/newsletters", "/me/unblock", "/me/erase"):
        refused = await site.post(path, data={"address": ANNA})
        assert refused.status_code in (303, 401), path
        assert "/sign-in" in refused.text + refused.headers.get("location", "")
    assert await now(place) == anna
