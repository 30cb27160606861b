"""Newsletters in the studio: settings, welcome mail, the form for other sites (R12, R13; field case J)."""

import html
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from app import mail
from app.base.database import Database
from app.mail import refusals
from app.readers import Arrival, find_reader, import_readers, newsletter_by_slug
from app.suppressions import suppression_of
from tests.accounts.makers import become
from tests.messages.makers import Provider, a_loop, run
from tests.readers.mails import confirm_path, queued
from tests.readers.makers import Place
from tests.readers.visitors import STUDIO, creator, opened, visitor
from workers import catalog

ANNA = "anna@example.org"
WELCOME = {
    "name": "Tidelines",
    "welcome": "1",
    "welcome_subject": 'Good that you are here, {first_name, "friend"}',
    "welcome_markdown": 'Hello {first_name, "friend"}. *Read* [this](/first).',
}


@pytest.fixture
async def app(place: Place) -> AsyncIterator[Any]:
    catalog.load()
    async with opened() as web:
        yield web


@pytest.fixture
async def site(app: Any) -> AsyncIterator[httpx.AsyncClient]:
    async with visitor(app) as client:
        yield client


@pytest.fixture
async def ana(app: Any, place: Place) -> AsyncIterator[httpx.AsyncClient]:
    async with await creator(app, place) as client:
        yield client


async def joins(
    site: httpx.AsyncClient, owner: Database, worker: Database, email: str = ANNA, **more
) -> None:
    """Asks, confirms, and the workers do what is due."""
    await site.post("/subscribe", data={"email": email, **more})
    await site.post(await confirm_path(owner, email))
    async with owner.transaction() as tx:
        await tx.execute("delete from job where kind = 'send_message' and args->>'mail' <> 'welcome'")
    await run(a_loop(worker))


async def test_who_confirms_is_welcomed_once_in_the_teams_words(
    ana: httpx.AsyncClient, site: httpx.AsyncClient, owner: Database, worker: Database, provider: Provider
) -> None:
    """R13: filled and escaped, with a way out; leaving and coming back brings no second one."""
    saved = await ana.post(f"{STUDIO}/newsletters/newsletter", data=WELCOME)
    assert saved.status_code == 303
    await joins(site, owner, worker, name="<b>Anna")
    (welcome,) = await queued(owner, ANNA, "welcome")
    assert welcome.subject == "Good that you are here, <b>Anna"
    assert "Hello &lt;b&gt;Anna. <em>Read</em>" in welcome.html
    assert 'href="http://tidelines.localhost:8000/first"' in welcome.html
    assert "Hello <b>Anna." in welcome.text
    leave = welcome.path("/unsubscribe/")
    assert 'data-state="done"' in (await site.post(leave)).text
    await joins(site, owner, worker)
    assert len(await queued(owner, ANNA, "welcome")) == 1
    await run(a_loop(worker))
    raw = provider.bytes_of()[-1]
    assert b"List-Unsubscribe-Post: List-Unsubscribe=One-Click" in raw
    assert f"List-Unsubscribe: <http://tidelines.localhost:8000{leave}>".encode() in raw


async def test_nobody_else_is_welcomed(
    ana: httpx.AsyncClient, place: Place, site: httpx.AsyncClient, owner: Database, worker: Database
) -> None:
    """R13: not the imported, not who was added, not while it is switched off, nor if it is by then."""
    await ana.post(f"{STUDIO}/newsletters/newsletter", data=WELCOME)
    await place.reader("ben@example.org")
    async with worker.transaction(place.id) as tx:
        await import_readers(
            tx, [Arrival(1, "cy@example.org", "Cy", "active")], place.newsletter_id, "a file"
        )
    await ana.post(f"{STUDIO}/newsletters/newsletter", data=WELCOME | {"welcome": ""})
    await joins(site, owner, worker)
    await ana.post(f"{STUDIO}/newsletters/newsletter", data=WELCOME)
    await site.post("/subscribe", data={"email": "dee@example.org"})
    await site.post(await confirm_path(owner, "dee@example.org"))
    await ana.post(f"{STUDIO}/newsletters/newsletter", data=WELCOME | {"welcome": ""})
    async with owner.transaction() as tx:
        await tx.execute("delete from job where kind = 'send_message'")
    await run(a_loop(worker))
    assert await queued(owner, mail="welcome") == []


async def test_a_welcome_mail_to_a_dead_address_blocks_it_as_any_mail(
    ana: httpx.AsyncClient,
    place: Place,
    site: httpx.AsyncClient,
    owner: Database,
    worker: Database,
    provider: Provider,
) -> None:
    """Field case J: bounces of welcome mail were ignored on another product."""
    await ana.post(f"{STUDIO}/newsletters/newsletter", data=WELCOME)
    provider.answers = [mail.Refused("550 5.1.1 no such user", bounced=True)]
    await joins(site, owner, worker)
    await run(a_loop(worker))
    await run(a_loop(worker, "housekeeping"))
    async with place.transaction() as tx:
        block = await suppression_of(tx, ANNA)
        assert block is not None
        assert (block.reason, block.detail) == ("bounce", "550 5.1.1 no such user")
        found = await find_reader(tx, ANNA)
        assert found is not None
        assert found.state == "suppressed"


async def test_a_newsletter_is_added_and_readers_may_choose_it(
    ana: httpx.AsyncClient, site: httpx.AsyncClient, owner: Database
) -> None:
    made = await ana.post(
        f"{STUDIO}/newsletters", data={"name": "Field Notes!", "description": "On Wednesdays"}
    )
    assert (made.status_code, made.headers["location"]) == (303, f"{STUDIO}/newsletters/field-notes")
    form = (await site.get("/subscribe")).text
    assert "On Wednesdays" in form
    assert 'value="newsletter" checked' in form
    assert 'value="field-notes" checked' not in form
    twice = await ana.post(f"{STUDIO}/newsletters", data={"name": "Field Notes"})
    assert (twice.status_code, "There is a newsletter “field-notes” already" in twice.text) == (422, True)
    nameless = await ana.post(f"{STUDIO}/newsletters", data={"name": "Заметки"})
    assert (nameless.status_code, "Give a short name" in nameless.text) == (422, True)
    assert "Заметки" in nameless.text


async def test_its_sender_signs_what_it_mails(
    ana: httpx.AsyncClient, site: httpx.AsyncClient, owner: Database, place: Place
) -> None:
    """From and Reply-To of the newsletter, also of the mail that asks to confirm."""
    given = {
        "name": "Tidelines",
        "sender_name": "Ana of Tidelines",
        "from_address": "Ana@Mail.example",
        "reply_to": "ana@home.example",
    }
    await ana.post(f"{STUDIO}/newsletters/newsletter", data=given)
    await site.post("/subscribe", data={"email": ANNA})
    async with owner.transaction() as tx:
        row = await tx.row("select args->>'sender' as sender, args->>'reply_to' as reply_to from job"
                           " where kind = 'send_message'")  # fmt: skip
    assert row is not None
    assert (row.sender, row.reply_to) == ("Ana of Tidelines <ana@mail.example>", "ana@home.example")


async def test_what_cannot_be_kept_comes_back_as_typed(ana: httpx.AsyncClient, place: Place) -> None:
    """Every problem at once, by field, and nothing saved."""
    wrong = {
        "name": " ",
        "from_address": "ana",
        "reply_to": "@x",
        "welcome": "1",
        "welcome_subject": "Hi {frist_name}",
        "description": "d" * 501,
    }
    back = await ana.post(f"{STUDIO}/newsletters/newsletter", data=wrong)
    assert back.status_code == 422
    told = html.unescape(back.text)
    for words in (
        "Give the newsletter a name.",
        "“ana” has no @",
        "Nothing stands before the @",
        "Write what the first mail says",
        "{frist_name} is no field. Did you mean {first_name}?",
        "the most is 500",
        'value="Hi {frist_name}"',
    ):
        assert words in told
    async with place.transaction() as tx:
        kept = await newsletter_by_slug(tx, "newsletter")
        assert kept is not None
        assert kept.name == "Tidelines"


async def test_the_form_to_copy_subscribes_from_elsewhere(
    ana: httpx.AsyncClient, site: httpx.AsyncClient, place: Place
) -> None:
    """Its own words are used as a browser would: method, address, fields."""
    shown = (await ana.get(f"{STUDIO}/newsletters/newsletter?source=my+%22blog%22")).text
    code = html.unescape(re.search(r"<textarea[^>]*id=\"form_html\"[^>]*>\n(.*?)</textarea>", shown, re.S)[1])
    action = re.search(r'<form action="([^"]+)" method="post">', code)[1]
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', code))
    assert "<script" not in code
    answered = await site.post(
        action, data={"email": ANNA, **fields}, headers={"Origin": "https://blog.example"}
    )
    assert answered.status_code == 303
    async with place.transaction() as tx:
        assert await tx.value("select form from reader") == 'my "blog"'


async def test_floods_stand_on_the_page_of_newsletters(
    ana: httpx.AsyncClient, owner: Database, place: Place
) -> None:
    """R12."""
    assert "Slowed in the last" not in (await ana.get(f"{STUDIO}/newsletters")).text
    async with owner.transaction() as tx:
        await tx.execute(
            "insert into sign_up_hour (account_id, hour, form, asked, slowed)"
            " values (:account, date_trunc('hour', godwit_now()), 'blog', 640, 540)",
            account=place.id,
        )
    home = html.unescape((await ana.get(STUDIO)).text)
    assert "was asked 640 times, so its mails are slowed. Is it a program?" in home
    shown = (await ana.get(f"{STUDIO}/newsletters")).text
    assert "A form was asked more often than people do." in shown
    assert "640" in shown
    assert "540" in shown


async def test_a_writer_reads_the_settings_and_changes_none(
    ana: httpx.AsyncClient, owner: Database, place: Place
) -> None:
    async with owner.transaction() as tx:
        await become(tx, "writer")
    assert "Only an owner changes these." in (await ana.get(f"{STUDIO}/newsletters/newsletter")).text
    for url in (f"{STUDIO}/newsletters", f"{STUDIO}/newsletters/newsletter"):
        assert (await ana.post(url, data={"name": "Mine"})).status_code == 403


async def test_the_welcome_mail_can_be_looked_at(ana: httpx.AsyncClient) -> None:
    """By the renderer that sends."""
    assert (await ana.get(f"{STUDIO}/newsletters/newsletter/welcome")).status_code == 404
    await ana.post(f"{STUDIO}/newsletters/newsletter", data=WELCOME)
    assert "Good that you are here, Anna" in (await ana.get(f"{STUDIO}/newsletters/newsletter/welcome")).text
    body = await ana.get(f"{STUDIO}/newsletters/newsletter/welcome/body")
    assert "Hello Anna." in body.text
    assert "sandbox" in body.headers["content-security-policy"]


@pytest.fixture(autouse=True)
def provider(monkeypatch: pytest.MonkeyPatch) -> Provider:
    """Takes everything, unless it is told otherwise."""
    made = Provider(mail.Accepted())
    for where in (mail, refusals):
        monkeypatch.setattr(where, "current_provider", lambda: made)
    return made
