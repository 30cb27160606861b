"""A post for paying readers, as a stranger, a free, a paying reader and one whose access ended meet it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from e2e.pages.plans import Plans, ReaderAccess
from e2e.pages.reader import OwnPage
from e2e.pages.site import Site
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Api, Godwit

OPEN, KEPT = "The tide goes out at nine.", "The nest is under the third post."
MARKDOWN = f"{OPEN}\n\n<!--paywall-->\n\n{KEPT}\n"
READERS = ("free", "paid", "ended")


@pytest.mark.parametrize("scripted", [True, False], ids=["scripted", "plain"])
def test_four_kinds_of_reader_in_page_mail_feed_and_api(
    godwit: Godwit, visit: Callable[..., Visitor], scripted: bool
) -> None:
    """One rule answers for all: who may read it does so everywhere, the others nowhere."""
    slug = f"nests-{'scripted' if scripted else 'plain'}"
    email = f"ada@{slug}.example"
    godwit.account(slug, email, "Nests", "Strandvägen 1, 621 55 Visby, Sweden")
    api = godwit.api(slug)
    ids = {kind: _reader(api, kind, slug) for kind in READERS}
    desk = visit(godwit, scripted=scripted)
    desk.sign_in(email)
    studio = Studio(desk, slug)
    _given(studio, ids)
    post = api.post("/posts", {"title": "Where they nest", "markdown": MARKDOWN, "access": "paid"})["id"]
    api.post(f"/posts/{post}/publish", {"site": True, "email": {}})
    godwit.drain()
    people = {kind: visit(godwit, scripted=scripted) for kind in ("stranger", *READERS)}
    for kind in READERS:
        _signs_in(Site(people[kind], slug), f"{kind}@{slug}.example.org")
    for kind, visitor in people.items():
        _meets(Site(visitor, slug), api, post, ids.get(kind), reads=kind == "paid")
    for kind in READERS:
        _mailed(godwit, people["stranger"], f"{kind}@{slug}.example.org", reads=kind == "paid")
    access = ReaderAccess(studio, ids["paid"])
    access.open()
    access.end("Gold")
    expect(desk.page.get_by_role("table")).to_contain_text("ended by")
    _meets(Site(people["paid"], slug), api, post, ids["paid"], reads=False)


def _reader(api: Api, kind: str, slug: str) -> str:
    consent = {"source": "the fair", "at": "2026-05-03T10:14:00Z"}
    return api.post("/readers", {"email": f"{kind}@{slug}.example.org", "consent": consent})["id"]


def _given(studio: Studio, ids: dict[str, str]) -> None:
    studio.open()
    Plans(studio).make("Gold", "Every letter.")
    for kind in ("paid", "ended"):
        access = ReaderAccess(studio, ids[kind])
        access.open()
        access.give("Gold", "Won the raffle")
        expect(studio.visitor.page.get_by_role("table")).to_contain_text("Won the raffle")
    access.end("Gold")
    expect(studio.visitor.page.get_by_role("table")).to_contain_text("ended by")


def _signs_in(site: Site, email: str) -> None:
    own = OwnPage(site)
    own.ask_code(email)
    own.enter(site.visitor.godwit.mails(to=email, kind="code", wait=10)[0].code)
    expect(site.visitor.page.get_by_role("link", name="Your page")).to_be_visible()


def _meets(site: Site, api: Api, post: str, reader: str | None, *, reads: bool) -> None:
    """In the page, both feeds and the API; and in no other page of the site."""
    page = site.visitor.page
    site.open("/where-they-nest")
    expect(page.get_by_text(OPEN)).to_be_visible()
    expect(page.get_by_text(KEPT)).to_have_count(1 if reads else 0)
    invited = page.get_by_role("heading", name="The rest is for paying readers")
    expect(invited).to_have_count(0 if reads else 1)
    for feed in ("/feed.xml", "/feed.json"):
        words = site.read(feed)
        assert (OPEN in words, KEPT in words) == (True, reads)
    for place in ("/", "/archive", "/sitemap.xml"):
        assert KEPT not in site.read(place)
    told = api.get(f"/posts/{post}/reading" + (f"?reader={reader}" if reader else ""))
    assert (told["may_read"], KEPT in told["html"]) == (reads, reads)


def _mailed(godwit: Godwit, stranger: Visitor, address: str, *, reads: bool) -> None:
    """In the mail, in both of its forms, and in its web view."""
    (mail,) = godwit.mails(to=address, kind="broadcast")
    for words in (mail.html, mail.text):
        assert (OPEN in words, KEPT in words) == (True, reads)
    stranger.page.goto(next(link for link in mail.links if "/mail/" in link))
    expect(stranger.page.get_by_text(KEPT)).to_have_count(1 if reads else 0)
