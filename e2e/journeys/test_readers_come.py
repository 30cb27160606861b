"""Readers come by themselves, with and without JavaScript; a scanner opens every link of their mail first."""

import re
import urllib.request
from collections.abc import Callable
from urllib.parse import urlsplit, urlunsplit

import pytest
from playwright.sync_api import expect

from e2e.pages.reader import OwnPage, Subscribing
from e2e.pages.site import Site, Unsubscribe
from e2e.pages.visitor import Visitor
from e2e.running import Api, Godwit, Mailed

ANNA = "anna@bücher.example"
KEPT = "anna@xn--bcher-kva.example"


def _state(api: Api) -> str:
    (reader,) = api.get(f"/readers?email={KEPT}")["items"]
    return reader["state"]


def _scanned(godwit: Godwit, visit: Callable[..., Visitor], mail: Mailed) -> None:
    """HEAD and GET of every link, then each in a browser that runs scripts; no session comes of it."""
    scanner = visit(godwit, user_agent="Mozilla/5.0 (SafeLinks)")
    headed = b"".join(mail.header("List-Unsubscribe")).decode()
    links: set[str] = {*mail.links, *re.findall("<(https?://[^>]+)>", headed)}
    for link in links:
        parts = urlsplit(link)
        here = urlunsplit(parts._replace(netloc=f"127.0.0.1:{parts.port}"))
        for method in ("HEAD", "GET"):
            asked = urllib.request.Request(here, headers={"Host": parts.netloc}, method=method)
            with urllib.request.urlopen(asked, timeout=30) as answer:
                assert answer.headers["Set-Cookie"] is None
        scanner.page.goto(link)
    assert scanner.page.context.cookies() == []


@pytest.mark.parametrize("scripted", [True, False], ids=["scripted", "plain"])
def test_a_reader_subscribes_signs_in_elsewhere_and_leaves(
    godwit: Godwit, visit: Callable[..., Visitor], scripted: bool
) -> None:
    """From the site's first page to being erased; the scanner's visits change nothing on the way."""
    slug = f"shore-{'scripted' if scripted else 'plain'}"
    godwit.account(slug, f"ida@{slug}.example", "Shore Letters")
    api = godwit.api(slug)
    laptop = visit(godwit, scripted=scripted)
    site = Site(laptop, slug)
    _subscribes(site, visit, api)
    phone = visit(godwit, scripted=scripted)
    _signs_in_on_the_phone(site, phone, slug, visit)
    _chooses(OwnPage(Site(phone, slug)), api)
    _leaves_and_returns(site, phone, api, visit)
    own = OwnPage(Site(phone, slug))
    phone.go(own.site.url + "/me")
    own.erase(ANNA)
    expect(phone.heading()).to_have_text("You are erased")
    assert api.get(f"/readers?email={KEPT}")["items"] == []


def _subscribes(site: Site, visit: Callable[..., Visitor], api: Api) -> None:
    visitor, godwit = site.visitor, site.visitor.godwit
    subscribing = Subscribing(site)
    visitor.watch.expected |= {422}
    subscribing.open()
    subscribing.ask("anna@bücher", "Anna")
    expect(visitor.box("Your name")).to_have_value("Anna")
    expect(visitor.alert().first).to_contain_text("has no ending")
    subscribing.ask(ANNA, "Anna")
    expect(visitor.heading()).to_have_text("Look in your mail")
    mail = godwit.mails(to=KEPT, kind="confirm", wait=10)[0]
    _scanned(godwit, visit, mail)
    assert _state(api) == "pending"
    link = next(link for link in mail.links if "/confirm/" in link)
    subscribing.confirm(link)
    expect(visitor.heading()).to_have_text("You are on the list")
    assert _state(api) == "active"
    visitor.go(link)
    expect(visitor.heading()).to_have_text("That is done already")


def _signs_in_on_the_phone(site: Site, phone: Visitor, slug: str, visit: Callable[..., Visitor]) -> None:
    """Asked for on the laptop; the mail is read, and its button pressed, on the phone."""
    godwit = phone.godwit
    own = OwnPage(site)
    own.ask_code(ANNA)
    mail = godwit.mails(to=KEPT, kind="code", wait=10)[0]
    _scanned(godwit, visit, mail)
    phone.go(next(link for link in mail.links if "/sign-in/" in link))
    phone.press("Sign in")
    phone.ready()
    expect(phone.heading()).to_have_text("What you get")
    site.visitor.watch.expected |= {422}
    own.enter(mail.code)
    expect(site.visitor.alert()).to_contain_text("a code works once")
    site.visitor.press("Send a new code")
    site.visitor.ready()
    own.enter(next(one.code for one in godwit.mails(to=KEPT, kind="code", wait=10) if one.code != mail.code))
    expect(site.visitor.heading()).to_have_text("What you get")


def _chooses(own: OwnPage, api: Api) -> None:
    own.newsletter("Shore Letters").uncheck()
    own.save()
    expect(own.visitor.status()).to_have_text("Saved. It holds at once.")
    assert _state(api) == "unsubscribed"
    own.newsletter("Shore Letters").check()
    own.save()
    assert _state(api) == "active"


def _leaves_and_returns(site: Site, phone: Visitor, api: Api, visit: Callable[..., Visitor]) -> None:
    """By the mail's own link; back only by one more mail, since the link proves no mailbox."""
    visitor, godwit = site.visitor, site.visitor.godwit
    post = api.post("/posts", {"title": "Foam", "markdown": "Salt and silence."})["id"]
    api.post(f"/posts/{post}/publish", {"site": True, "email": {}})
    godwit.drain()
    mail = godwit.mails(to=KEPT, kind="broadcast", wait=10)[0]
    _scanned(godwit, visit, mail)
    assert _state(api) == "active"
    leaving = Unsubscribe(visitor)
    leaving.open(next(link for link in mail.links if "/unsubscribe/" in link))
    leaving.press()
    expect(visitor.heading()).to_have_text("You are unsubscribed")
    visitor.press("Subscribe again")
    visitor.ready()
    expect(visitor.heading()).to_have_text("Look in your mail")
    assert _state(api) == "unsubscribed"
    again = godwit.mails(to=KEPT, kind="confirm", wait=10)[0]
    _scanned(godwit, visit, again)
    assert _state(api) == "unsubscribed"
    elsewhere = Subscribing(Site(phone, site.slug))
    elsewhere.confirm(next(link for link in again.links if "/confirm/" in link))
    expect(phone.heading()).to_have_text("You are on the list")
    assert _state(api) == "active"
