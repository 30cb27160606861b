"""Where the links of a mail lead: to the post where it stands now, and out of it, for each reader alike."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from app.base import clock, ids
from app.base.database import Database
from app.broadcasts.queries import target_of
from app.ledger import content_of
from app.ledger.contents import Blanks, Content, mail_for
from app.mail import Mail, to_bytes
from app.posts import Writing, save_draft, unpublish
from app.publishing import Email
from tests.posts.clients import served
from tests.posts.makers import Desk, make_desk, make_post
from tests.publishing.makers import account, make_readers, press_of, press_publish
from tests.publishing.test_field_cases import copies

PAID = "For all.\n\n<!--paywall-->\n\nThe secret."


async def mailed(web: Database, desk: Desk, post_id: object, **press: object) -> Content:
    """Press send, and what its mailing froze."""
    made = await press_publish(web, press_of(desk, post_id, **press), desk.account_id)
    assert made.broadcast_id
    async with web.transaction(desk.account_id) as tx:
        target = await target_of(tx, made.broadcast_id)
        assert target
        return await content_of(tx, target.mailing_id)


@dataclass(frozen=True)
class Copy:
    """A reader's copy as they see it."""

    text: str
    html: str


def copy(content: Content, variant: str = "full") -> Copy:
    """Anna's copy."""
    mail = mail_for(content, ids.new(), Blanks(ids.new(), "a@example.org", "Anna", variant), clock.now())
    return Copy(mail.text or "", mail.html or "")


def links(mail: Copy) -> dict[str, str]:
    """The links of its HTML by their words."""
    page = BeautifulSoup(mail.html, "html.parser")
    return {link.get_text(): str(link["href"]) for link in page.find_all("a", href=True)}


async def test_mailed_later_a_post_leads_to_where_it_stands_on_the_site(web: Database) -> None:
    """Whoever has no access finds the post behind the button, not the site's first page."""
    desk = await make_desk(web)
    await make_readers(web, desk, 2)
    draft = await make_post(web, desk, "The bird", PAID, access="paid")
    await press_publish(web, press_of(desk, draft.post_id, email=None), desk.account_id)
    async with web.transaction(desk.account_id) as tx:
        moved = replace(draft.writing, slug="another-address")  # saved, and not live
        await save_draft(tx, draft.post_id, 1, moved, desk.creator_id)
    content = await mailed(web, desk, draft.post_id, site=False)
    whole, part = copy(content), copy(content, "preview")
    there = f"{content.site_url}/the-bird"
    assert links(whole)["Read on the web"] == there
    assert f"On the web: {there}\n" in whole.text
    assert links(part)["Read on"] == there
    assert f"Read on: {there}\n" in part.text
    assert "another-address" not in whole.html + whole.text + part.html + part.text


@pytest.mark.parametrize("was_live", [False, True])
async def test_what_is_not_on_the_site_has_no_link_to_it(web: Database, was_live: bool) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 2)
    draft = await make_post(web, desk, "The bird", PAID, access="paid")
    if was_live:
        await press_publish(web, press_of(desk, draft.post_id, email=None), desk.account_id)
        async with web.transaction(desk.account_id) as tx:
            await unpublish(tx, draft.post_id, desk.creator_id, "Ana")
    content = await mailed(web, desk, draft.post_id, site=False)
    for mail in (copy(content), copy(content, "preview")):
        assert "the-bird" not in mail.html + mail.text
        assert "Read on" not in mail.html + mail.text
    assert "was mailed to them alone." in part_of(copy(content, "preview").text)
    assert "was mailed to them alone." in copy(content, "preview").html


def part_of(text: str) -> str:
    """The words above the foot."""
    return text.partition("\n--\n")[0]


async def test_the_foot_of_every_copy_says_why_and_leads_out_and_to_ones_own_page(web: Database) -> None:
    """Product: postal address, why you get this, unsubscribe, preferences; in HTML and in text."""
    desk = await make_desk(web)
    await make_readers(web, desk, 2)
    draft = await make_post(web, desk, "The bird", PAID, access="paid")
    content = await mailed(web, desk, draft.post_id, email=Email())
    for mail in (copy(content), copy(content, "preview")):
        foot = mail.text.partition("\n--\n")[2]
        for words in (
            "You get this because",
            f"Unsubscribe: {content.site_url}/unsubscribe/",
            f"What you get: {content.site_url}/me\n",
            f"In a browser: {content.site_url}/mail/",
            "1 Harbour Road",
        ):
            assert words in foot, words
        told = links(mail)
        assert told["Unsubscribe"].startswith(f"{content.site_url}/unsubscribe/")
        assert told["What you get"] == f"{content.site_url}/me"
        assert told["See this mail in a browser"].startswith(f"{content.site_url}/mail/")
        html = mail.html.partition('class="foot"')[2]
        assert "You get this because" in html
        assert "1 Harbour Road" in html


async def test_a_copy_that_goes_again_is_the_same_and_so_is_one_begun_before_the_site_changed(
    web: Database,
) -> None:
    """L6: what was frozen at the press is sent, whatever happens to post and site since."""
    desk = await make_desk(web)
    await make_readers(web, desk, 2)
    draft = await make_post(web, desk)
    made = await press_publish(web, press_of(desk, draft.post_id), desk.account_id)
    assert made.broadcast_id
    batch, reader, at = ids.new(), Blanks(ids.new(), "a@example.org", "Anna"), clock.now()
    sent: list[Mail] = []
    for change in ("", "save", "unpublish"):
        async with web.transaction(desk.account_id) as tx:
            if change == "save":
                await save_draft(tx, draft.post_id, 1, Writing("Other", "Words"), desk.creator_id)
            elif change:
                await unpublish(tx, draft.post_id, desk.creator_id, "Ana")
            target = await target_of(tx, made.broadcast_id)
            assert target
            sent.append(mail_for(await content_of(tx, target.mailing_id), batch, reader, at))
    assert sent[0] == sent[1] == sent[2]


async def test_a_scanner_that_opens_every_link_of_every_copy_changes_nothing(
    web: Database, worker: Database, owner: Database
) -> None:
    """D: a firewall opened the unsubscribe links, and a whole staff left. One click leaves, as it may."""
    desk = await make_desk(web)
    await make_readers(web, desk, 3)
    draft = await make_post(web, desk, "The bird", "A [link](/archive) and [another](https://example.org/).")
    await press_publish(web, press_of(desk, draft.post_id), desk.account_id)
    mails = list((await copies(worker, desk)).values())
    site_url = (await account(web, desk)).site_url
    async with served(web, desk) as here:
        before = await everything(owner)
        for mail in mails:
            found = [*links(Copy("", mail.html or "")).values(), dict(mail.headers)["List-Unsubscribe"][1:-1]]
            ours = [link for link in found if link.startswith(site_url)]
            assert len(ours) >= 7
            for link in ours:
                for method in ("HEAD", "GET"):
                    answer = await here.site.request(
                        method, link.removeprefix(site_url) or "/", headers={"User-Agent": "SafeLinks"}
                    )
                    assert answer.status_code < 400, (method, link)
                    assert "set-cookie" not in answer.headers
        assert await everything(owner) == before
        leave = dict(mails[0].headers)["List-Unsubscribe"][1:-1].removeprefix(site_url)
        await here.site.post(leave, data={"List-Unsubscribe": "One-Click"})
    async with web.transaction(desk.account_id) as tx:
        states = await tx.rows("select state, count(*) as n from subscription group by state order by state")
    assert [(row.state, row.n) for row in states] == [("active", 2), ("unsubscribed", 1)]


async def everything(owner: Database) -> list[str]:
    """What a scanner could have changed: subscriptions, their history, blocks, sessions."""
    async with owner.transaction() as tx:
        return [
            row.told
            for table in ("subscription", "consent", "suppression", "reader_session", "job")
            for row in await tx.rows(f"select to_jsonb(t)::text as told from {table} t order by 1")
        ]


async def test_what_a_signer_must_cover_stands_once_and_on_one_line(web: Database, worker: Database) -> None:
    """D, RFC 8058: both headers are there to be signed, as README asks of whoever signs."""
    desk = await make_desk(web)
    await make_readers(web, desk, 1)
    draft = await make_post(web, desk)
    await press_publish(web, press_of(desk, draft.post_id), desk.account_id)
    (mail,) = (await copies(worker, desk)).values()
    head = to_bytes(mail, clock.now()).partition(b"\r\n\r\n")[0].decode().split("\r\n")
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    for name in ("From", "To", "Subject", "Date", "Message-ID", "List-Unsubscribe", "List-Unsubscribe-Post"):
        assert len([line for line in head if line.lower().startswith(f"{name.lower()}: ")]) == 1, name
        assert f"`{name}`" in readme
    assert f"List-Unsubscribe: {dict(mail.headers)['List-Unsubscribe']}" in head
    assert "List-Unsubscribe-Post: List-Unsubscribe=One-Click" in head
