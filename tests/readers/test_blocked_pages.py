"""Blocked addresses in the studio, the page of growth, and a reader's page whole."""

from datetime import UTC, datetime, timedelta

import httpx

from app.base.database import Database
from app.readers import erase_reader, unsubscribe
from app.readers.growth import WEEKS, growth, origins
from app.suppressions import block_history, suppress, suppression_of
from tests.accounts.makers import become
from tests.readers.makers import Place
from tests.readers.visitors import STUDIO

BLOCKED = f"{STUDIO}/readers/blocked"


async def test_blocked_addresses_are_listed_by_reason_and_page_through(
    place: Place, studio: httpx.AsyncClient
) -> None:
    """Field case K: keyset pages, true totals."""
    assert "No address is blocked" in (await studio.get(BLOCKED)).text
    anna = await place.reader("anna@example.org")
    async with place.transaction() as tx:
        await suppress(tx, anna.email, "complaint")
        await tx.execute(
            "insert into suppression (account_id, address, reason)"
            " select :account, 'a' || n || '@example.org', 'bounce' from generate_series(1, 101) n",
            account=place.id,
        )
    first = await studio.get(f"{BLOCKED}?reason=bounce")
    assert 'data-figure="bounce" data-value="101"' in first.text
    assert 'data-figure="all" data-value="102"' in first.text
    seen = first.text
    for _ in range(2):
        older = seen.split('rel="next" href="')[1].split('"')[0].replace("&amp;", "&")
        seen = (await studio.get(older)).text
    assert seen.count("data-id=") == 1
    assert f"/readers/{anna.id}" in (await studio.get(f"{BLOCKED}?reason=complaint")).text
    assert (await studio.get(f"{BLOCKED}?reason=none")).status_code == 422


async def test_the_team_blocks_by_hand_and_an_owner_lifts_it_with_a_reason(
    place: Place, studio: httpx.AsyncClient
) -> None:
    wrong = await studio.post(BLOCKED, data={"address": "none", "because": "typed"})
    assert (wrong.status_code, 'value="typed"' in wrong.text) == (422, True)
    done = await studio.post(BLOCKED, data={"address": "Anna@BÜCHER.example", "because": "she asked"})
    one = done.headers["location"]
    shown = await studio.get(one)
    assert "anna@bücher.example is blocked." in shown.text
    assert "she asked" in shown.text
    assert (
        "was blocked before"
        in (
            await studio.get(
                (await studio.post(BLOCKED, data={"address": "anna@bücher.example"})).headers["location"]
            )
        ).text
    )
    refused = await studio.post(f"{BLOCKED}/lift", data={"address": "anna@bücher.example", "because": " "})
    assert (refused.status_code, 'id="because-error"' in refused.text) == (422, True)
    lift = {"address": "anna@bücher.example", "because": "asked again"}
    assert (await studio.post(f"{BLOCKED}/lift", data=lift)).status_code == 303
    assert "This address is not blocked" in (await studio.get(one)).text
    async with place.transaction() as tx:
        assert [
            (change.act, change.by_name) for change in await block_history(tx, "anna@xn--bcher-kva.example")
        ] == [
            ("blocked", "Ana Moreau"),
            ("lifted", "Ana Moreau"),
        ]


async def test_a_complaint_is_not_the_owners_to_lift(place: Place, studio: httpx.AsyncClient) -> None:
    async with place.transaction() as tx:
        await suppress(tx, "anna@example.org", "complaint")
    shown = await studio.get(f"{BLOCKED}/one?address=anna@example.org")
    assert "Lift the block" not in shown.text
    assert "only they themselves" in shown.text
    refused = await studio.post(f"{BLOCKED}/lift", data={"address": "anna@example.org", "because": "please"})
    assert refused.status_code == 422
    async with place.transaction() as tx:
        assert await suppression_of(tx, "anna@example.org")


async def test_who_is_no_owner_lifts_nothing_and_an_erased_ones_address_is_not_shown(
    place: Place, owner: Database, studio: httpx.AsyncClient
) -> None:
    gone = await place.reader("gone@example.org")
    async with place.transaction() as tx:
        await suppress(tx, gone.email, "bounce")
        await erase_reader(tx, gone.id)
    shown = await studio.get(BLOCKED)
    assert "an erased reader" in shown.text
    assert "gone@example.org" not in shown.text
    async with owner.transaction() as tx:
        await become(tx, "editor")
    assert (await studio.post(f"{BLOCKED}/lift", data={"address": "x@example.org"})).status_code == 403
    assert (await studio.get(f"{BLOCKED}/one?address=none")).status_code == 422


async def test_growth_counts_weeks_in_the_accounts_zone(place: Place, studio: httpx.AsyncClient) -> None:
    assert "No readers yet" in (await studio.get(f"{STUDIO}/readers/growth")).text
    old = await place.reader("old@example.org")
    for n in range(3):
        await place.reader(f"r{n}@example.org", source="form")
    async with place.transaction() as tx:
        await tx.execute("update account set zone = 'Pacific/Auckland' where id = :id", id=place.id)
        past = datetime.now(UTC) - timedelta(weeks=WEEKS + 4)
        await tx.execute("update reader set joined_at = :at where id = :id", at=past, id=old.id)
        await tx.execute("update reader set form = 'fair' where source = 'form'")
        leaver = await tx.value("select id from reader where email = 'r1@example.org'")
        await unsubscribe(tx, leaver, None, "x")
        weeks, came = await growth(tx), await origins(tx)
    assert len(weeks) == WEEKS
    assert (weeks[0].total, weeks[-1].joined, weeks[-1].left, weeks[-1].total) == (1, 3, 1, 4)
    assert all(week.monday.isoweekday() == 1 for week in weeks)
    assert [(one.source, one.form, one.joined, one.stayed) for one in came] == [("form", "fair", 3, 2)]
    shown = await studio.get(f"{STUDIO}/readers/growth")
    assert "3 readers joined in these 26 weeks, and 1 unsubscribed." in shown.text
    assert shown.text.count("<tr role") == 1 + WEEKS + 1 + 1
    assert "source=form&amp;form=fair&amp;from=" in shown.text


async def test_a_readers_page_holds_every_mail_and_every_block(
    place: Place, studio: httpx.AsyncClient
) -> None:
    anna = await place.reader("anna@example.org")
    other = await place.reader("ben@example.org")
    async with place.transaction() as tx:
        await suppress(tx, anna.email, "by_hand", "she asked", by="Ana Moreau")
        for address, subject in ((anna.email, "Yours"), (other.email, "Theirs")):
            await tx.execute(
                "insert into job (account_id, queue, kind, args, share) values (:account,"
                " 'messages', 'send_message', jsonb_build_object('to', cast(:to as text),"
                " 'subject', cast(:subject as text), 'mail', 'own'), '1')",
                account=place.id,
                to=address,
                subject=subject,
            )
    shown = await studio.get(f"{STUDIO}/readers/{anna.id}")
    assert "Yours" in shown.text
    assert "Theirs" not in shown.text
    assert "Blocked: blocked by the team" in shown.text
    assert "she asked by Ana Moreau" in shown.text
    assert f'hx-get="{STUDIO}/readers/{anna.id}/access"' in shown.text
