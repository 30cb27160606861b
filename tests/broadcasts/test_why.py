"""Why page: any address, any mailing; the answer first, then the time line in one clock."""

import html
import re
from uuid import UUID

from app.base.database import Database
from app.readers import Consent, NewReader, add_reader, erase_reader, unsubscribe
from app.suppressions import suppress, unblock
from tests.broadcasts.makers import Studio


def cause_in(text: str) -> str:
    """What the page names as the cause, for tests."""
    return (re.findall(r'data-cause="(\w+)"', text) or [""])[0]


def said(text: str) -> str:
    """The page's words, tags taken out."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", text)).split())


async def asked(studio: Studio, broadcast_id: UUID, address: str) -> str:
    """What the page answers."""
    told = await studio.page.get(studio.at(f"/broadcasts/{broadcast_id}/why"), params={"address": address})
    assert told.status_code == 200
    return told.text


async def test_whoever_was_not_in_the_audience_is_told_which_cause(studio: Studio) -> None:
    async with studio.web.transaction(studio.desk.account_id) as tx:
        await suppress(tx, "reader1@example.org", "bounce", "550 5.1.1")
        await unsubscribe(tx, await studio.reader_id("reader2@example.org"), None, "the button")
        pending = await studio.reader_id("reader3@example.org")
        await tx.execute("update subscription set state = 'pending' where reader_id = :id", id=pending)
    broadcast_id = await studio.press()
    assert cause_in(await asked(studio, broadcast_id, "reader2@example.org")) == "unread"
    await studio.read_audience(broadcast_id)
    async with studio.web.transaction(studio.desk.account_id) as tx:
        new = NewReader("late@example.org", (studio.desk.newsletter_id,), Consent("a form"), "form")
        await add_reader(tx, new)
    expected = {
        "reader1@example.org": ("blocked", "because mail to it came back"),
        "reader2@example.org": ("left", "they unsubscribed on"),
        "reader3@example.org": ("unconfirmed", "had not confirmed"),
        "late@example.org": ("late", "only after it had begun"),
    }
    for address, (cause, words) in expected.items():
        text = await asked(studio, broadcast_id, address)
        assert (cause_in(text), words in said(text)) == (cause, True), address
        assert "Joined" in said(text)
        assert "What you can do" in said(text)


async def test_a_copy_being_handed_over_may_have_arrived_and_stands_in_peoples_time(
    studio: Studio, owner: Database
) -> None:
    """The clock of people may be moved; a call's time is the real one."""
    async with owner.transaction() as tx:
        await tx.execute("update clock set ahead = interval '1 hour'")
    broadcast_id = await studio.press()
    await studio.read_audience(broadcast_id)
    async with owner.transaction() as tx:
        await tx.execute(
            "insert into batch"
            " (account_id, id, mailing_id, job_id, lease, provider, size, blanks, call_until)"
            " select account_id, gen_random_uuid(), id, 1, 1, 'mailbox', 1, '[]', now() from mailing"
        )
        await tx.execute(
            "update send set state = 'sending', batch_id = (select id from batch),"
            " address = 'reader1@example.org'"
            " where reader_id = (select id from reader where email = 'reader1@example.org')"
        )
    text = said(await asked(studio, broadcast_id, "reader1@example.org"))
    assert "is being handed over right now: it may have arrived already" in text
    assert text.index("they were in it") < text.index("Their copy was handed over")
    async with owner.transaction() as tx:
        await tx.execute("update clock set ahead = interval '0'")


async def test_an_address_never_known_and_one_erased_are_answered(studio: Studio) -> None:
    broadcast_id = await studio.press()
    never = await asked(studio, broadcast_id, "nobody@example.org")
    assert "was never a reader" in never
    assert "/readers?q=nobody" in never
    async with studio.web.transaction(studio.desk.account_id) as tx:
        await suppress(tx, "stranger@example.org", "complaint")
        await erase_reader(tx, await studio.reader_id("reader1@example.org"))
    stranger = said(await asked(studio, broadcast_id, "stranger@example.org"))
    assert "was never a reader" in stranger
    assert "The address was blocked" in stranger
    assert "Reader1@example.org was erased on" in said(
        await asked(studio, broadcast_id, "Reader1@example.org")
    )


async def test_blocks_and_lifts_stand_in_the_time_line(studio: Studio) -> None:
    async with studio.web.transaction(studio.desk.account_id) as tx:
        await suppress(tx, "reader1@example.org", "bounce", "550 5.1.1 Gone")
        await unblock(tx, "reader1@example.org", by="owner", name="Ana", because="she wrote today")
    broadcast_id = await studio.press()
    text = said(await asked(studio, broadcast_id, "reader1@example.org"))
    assert "550 5.1.1 Gone" in text
    assert "she wrote today" in text


async def test_any_email_is_asked_about_from_one_page(studio: Studio) -> None:
    broadcast_id = await studio.press()
    ask = studio.at("/why")
    page = await studio.page.get(ask)
    assert "The bird (" in page.text
    leads = await studio.page.get(ask, params={"address": "reader1@example.org", "email": str(broadcast_id)})
    assert leads.headers["location"] == studio.at(
        f"/broadcasts/{broadcast_id}/why?address=reader1%40example.org"
    )
    wrong = await studio.page.get(ask, params={"address": "none", "email": "x"})
    assert wrong.status_code == 422
    assert 'id="address-error"' in wrong.text
    assert 'id="email-error"' in wrong.text
    assert 'value="none"' in wrong.text
