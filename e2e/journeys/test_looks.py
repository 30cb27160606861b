"""Every page at phone and desktop width, light and dark: axe finds nothing serious, nothing scrolls sideways.

A photograph of each is kept in e2e/.shots/, to be looked at.
"""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from app.cli.folder import ROOT
from e2e.conftest import STEP_MS
from e2e.looking import E2E, look_at
from e2e.pages.readers import Import
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Api, Godwit
from e2e.watching import Watch

PICTURE = E2E / "data" / "wader.svg"
EMAIL, SLUG = "ada@example.org", "tidelines"


class Furnished:
    """A publication in which something happened, and a browser that is signed in."""

    def __init__(self, browser: Browser, godwit: Godwit) -> None:
        self.godwit = godwit
        context = browser.new_context(
            viewport={"width": 1280, "height": 900}, locale="en-GB", bypass_csp=True
        )
        context.set_default_timeout(STEP_MS)
        context.route("https://example.com/*.jpg", lambda route: route.fulfill(path=PICTURE))
        self.visitor = Visitor(context.new_page(), godwit, Watch(context, True))
        self.guest = Visitor(
            browser.new_context(locale="en-GB", bypass_csp=True).new_page(), godwit, self.visitor.watch
        )
        self.places = self._furnish(godwit)

    def _furnish(self, godwit: Godwit) -> dict[str, str]:
        godwit.account(SLUG, EMAIL, "Tidelines", "Strandvägen 1, 621 55 Visby, Sweden")
        self.visitor.sign_in(EMAIL)
        api, base = godwit.api(SLUG), f"/studio/{SLUG}"
        self.api = api
        few = (ROOT / "tests" / "data" / "ghost-members.csv").read_text().splitlines()[:240]
        few += ["broken,nobody at all,Not An Address,,true,false,,2021-01-01T00:00:00.000Z,,,"]
        brought = api.import_readers("\n".join(few).encode())
        posts = [self._post(api, title) for title in ("Counting in the dark", "What the tide leaves behind")]
        long = api.post("/posts", {"markdown": (ROOT / "tests" / "data" / "post-long.md").read_text()})["id"]
        api.post(f"/posts/{posts[0]}/publish", {"site": True, "email": None})
        sent = api.post(f"/posts/{long}/publish", {"site": True, "email": {}})
        plan = self._plan(base)
        self._post(api, "Where they nest", access="paid", tags=["Birds", "Nests"])
        kept = self._post(
            api, "What is kept", access="paid", tags=["Birds"], cover="https://example.com/a.jpg"
        )
        about = self._post(api, "About", kind="page")
        for one in (kept, about):
            api.post(f"/posts/{one}/publish", {"site": True, "email": None})
        godwit.drain()
        later = self._post(api, "What comes on Sunday")
        at = (datetime.now(UTC) + timedelta(days=3)).isoformat()
        waits = api.post(f"/posts/{later}/publish", {"site": True, "email": {}, "at": at})
        reader = api.get("/readers?limit=1")["items"][0]["id"]
        mail = godwit.mails(kind="broadcast", account=SLUG, limit=1)[0]
        site = godwit.site(SLUG)
        return {
            "home": base,
            "posts": f"{base}/posts",
            "editor-new": f"{base}/posts/new",
            "editor": f"{base}/posts/{long}",
            "versions": f"{base}/posts/{long}/versions",
            "version-1": f"{base}/posts/{long}/versions/1",
            "preview": f"{base}/posts/{long}/preview",
            "preview-phone": f"{base}/posts/{long}/preview?view=phone&reader=free",
            "publish": f"{base}/posts/{posts[1]}/publish",
            "published": f"{base}/releases",
            "scheduled": f"{base}/scheduled",
            "scheduled-one": f"{base}/scheduled/{waits['scheduled']}",
            "publish-waiting": f"{base}/posts/{later}/publish",
            "unpublish": f"{base}/posts/{posts[0]}/unpublish",
            "version-older": f"{base}/releases/1",
            "version": f"{base}/releases/2",
            "emails": f"{base}/broadcasts",
            "email": f"{base}/broadcasts/{sent['broadcast']}",
            "email-copies": f"{base}/broadcasts/{sent['broadcast']}/sends",
            "email-mail": f"{base}/broadcasts/{sent['broadcast']}/mail",
            "email-why": f"{base}/broadcasts/{sent['broadcast']}/why?address={mail.to}",
            "readers": f"{base}/readers",
            "readers-none": f"{base}/readers?q=nobodyatall",
            "readers-filtered": f"{base}/readers?q=example&source=import&state=active",
            "segments": f"{base}/readers/segments",
            "segment-new": f"{base}/readers/segments/new?source=import",
            "readers-do": f"{base}/readers/acts/new?source=import",
            "readers-done": f"{base}/readers/acts",
            "growth": f"{base}/readers/growth",
            "blocked": f"{base}/readers/blocked?address=anna@example.org",
            "blocked-one": f"{base}/readers/blocked/one?address=anna@example.org",
            "why": f"{base}/why",
            "why-never": f"{base}/broadcasts/{sent['broadcast']}/why?address=nobody@example.org",
            "reader": f"{base}/readers/{reader}",
            "reader-new": f"{base}/readers/new",
            "imports": f"{base}/imports",
            "import": f"{base}/imports/{brought['id']}",
            "import-undo": f"{base}/imports/{brought['id']}/undo",
            **self._brought_by_hand(),
            "export": f"{base}/export",
            "settings": f"{base}/settings",
            "plans": f"{base}/plans",
            "plan": plan,
            "reader-access": f"{base}/readers/{reader}/access",
            "site-archive": f"{site}/archive",
            "site-tag": f"{site}/tag/birds",
            "site-kept": f"{site}/what-is-kept",
            "site-about": f"{site}/about",
            "site-nothing": f"{site}/nothing-of-the-kind",
            "mailbox": "/mailbox",
            "api-docs": "/api/docs",
            "site": site + "/",
            "site-post": f"{site}/the-bird-that-does-not-land-eleven-days-over-the-pacific",
            "site-unsubscribe": next(link for link in mail.links if "/unsubscribe/" in link),
            "site-unsubscribe-broken": f"{site}/unsubscribe/nothing",
            "newsletters": f"{base}/newsletters",
            "newsletter": f"{base}/newsletters/newsletter?source=blog",
            "newsletter-new": f"{base}/newsletters/new",
            "site-subscribe": f"{site}/subscribe",
            "site-check-inbox": f"{site}/subscribe/check-inbox?email=anna@example.org",
            "site-confirm-broken": f"{site}/confirm/nothing",
            "site-sign-in": f"{site}/sign-in",
            "site-sign-in-code": f"{site}/sign-in/code?email=anna@example.org",
            "site-sign-in-link-broken": f"{site}/sign-in/nothing",
        }

    def _post(self, api: Api, title: str, **more: Any) -> str:
        words = f"A short piece on {title.lower()}.\n\n## And then\n\n- salt\n- silence\n- foam"
        words += "\n\n<!--paywall-->\n\nThe rest of it." if more.get("access") else ""
        return api.post("/posts", {"title": title, "markdown": words, **more})["id"]

    def _plan(self, base: str) -> str:
        """Two plans made, the second of which somebody may be given; the address of its page."""
        for name, gives in (("Silver", ""), ("Gold", "Every letter, and the field notes.")):
            self.visitor.go(f"{base}/plans")
            self.visitor.fill("Name", name)
            self.visitor.box("What it gives").fill(gives)
            self.visitor.press("Make the plan")
            self.visitor.ready()
        link = self.visitor.page.get_by_role("link", name="Gold", exact=True)
        return link.get_attribute("href") or ""

    def _brought_by_hand(self) -> dict[str, str]:
        """A table that waits for its columns, and posts of which not all came along."""
        bringing = Import(Studio(self.visitor, SLUG))
        bringing.open()
        table = b"email,who,size\nzoe@example.org,Zoe,42\n"
        bringing.choose({"name": "table.csv", "mimeType": "text/csv", "buffer": table})
        waiting = self.visitor.page.url
        bringing.open()
        post = {"id": "1", "title": "From elsewhere", "slug": "elsewhere", "status": "published"}
        post |= {"html": '<p>x</p><img src="https://example.com/a.jpg" alt="">', "visibility": "tiers"}
        file = json.dumps({"db": [{"data": {"posts": [post]}}]}).encode()
        bringing.choose_posts({"name": "ghost.json", "mimeType": "application/json", "buffer": file})
        bringing.finished()
        return {"import-columns": waiting, "import-posts": self.visitor.page.url}

    def going_out(self) -> str:
        """An email that is on its way, slowly; the address of its page."""
        self.godwit.slow(3, times=1)
        post = self._post(self.api, "What nobody counted")
        sent = self.api.post(f"/posts/{post}/publish", {"site": False, "email": {}})
        return f"/studio/{SLUG}/broadcasts/{sent['broadcast']}"


@pytest.fixture(scope="module")
def furnished(browser: Browser, godwit: Godwit) -> Iterator[Furnished]:
    """Made once for all photographs."""
    made = Furnished(browser, godwit)
    yield made
    made.visitor.page.context.close()
    made.guest.page.context.close()


_PLACES = (
    *(
        "home",
        "posts",
        "editor-new",
        "editor",
        "versions",
        "version-1",
        "preview",
        "preview-phone",
        "publish",
        "published",
        "scheduled",
        "scheduled-one",
        "publish-waiting",
        "unpublish",
        "version",
        "version-older",
    ),
    *("emails", "email", "email-copies", "email-mail", "email-why"),
    *("readers", "readers-none", "reader", "reader-new", "settings"),
    *("imports", "import", "import-undo", "import-columns", "import-posts", "export"),
    *("readers-filtered", "segments", "segment-new", "readers-do", "readers-done", "growth"),
    *("blocked", "blocked-one", "why", "why-never"),
    *("plans", "plan", "reader-access", "site-archive", "site-tag", "site-kept", "site-about"),
    "site-nothing",
    *("mailbox", "api-docs", "site", "site-post", "site-unsubscribe", "site-unsubscribe-broken"),
    *("newsletters", "newsletter", "newsletter-new", "site-subscribe", "site-check-inbox"),
    *("site-confirm-broken", "site-sign-in", "site-sign-in-code", "site-sign-in-link-broken"),
)


@pytest.mark.parametrize("place", _PLACES)
def test_page(furnished: Furnished, place: str) -> None:
    """Opened as it stands."""
    furnished.visitor.watch.expected |= {404}
    furnished.visitor.go(furnished.places[place])
    assert not look_at(furnished.visitor.page, place)


def _editor_mail(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["editor"])
    furnished.visitor.page.get_by_role("radio", name="Mail", exact=True).check()
    frame = furnished.visitor.page.frame_locator("iframe[title='The email as readers get it']")
    frame.get_by_text("thank you for reading").wait_for()


def _publish_by_mail(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["publish"])
    page = furnished.visitor.page
    page.get_by_role("radio", name="To the site and by email", exact=True).check()
    page.get_by_role("radio", name="At a time", exact=True).check()
    page.get_by_label("Date and time").fill(f"{datetime.now(UTC) + timedelta(days=9):%Y-%m-%dT09:30}")
    page.locator("#when-line").filter(has_text="UTC").wait_for()


def _editor_details(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["editor"])
    furnished.visitor.page.get_by_text("Excerpt, address, tags, readers").click()
    furnished.visitor.page.get_by_text("Cover and search engines").click()
    furnished.visitor.page.get_by_text("Add a picture").click()


def _editor_cards(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["editor-new"])
    cards = ":::callout\nSet apart.\n:::\n\n:::quote\nStop here.\n:::\n\n:::button\n[Go](https://example.org)\n:::"
    furnished.visitor.page.get_by_role("textbox", name="Text", exact=True).fill(cards)
    furnished.visitor.page.locator("#preview .card-button").wait_for()


def _version_changed(furnished: Furnished) -> None:
    place = furnished.places["editor"]
    version = furnished.api.get(place.replace(f"/studio/{SLUG}", ""))["version"]
    words = (ROOT / "tests" / "data" / "post-long.md").read_text().replace("a bird", "a wader")
    furnished.api._call(
        "PATCH", place.replace(f"/studio/{SLUG}", ""), {"version": version, "markdown": words}
    )
    furnished.visitor.go(furnished.places["version-1"])


def _publish_both(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["publish"])
    furnished.visitor.page.get_by_role("radio", name="To the site and by email", exact=True).check()


def _published_already(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["editor"] + "/publish")
    furnished.visitor.page.get_by_role("radio", name="By email only", exact=True).check()


def _reader_wrong(furnished: Furnished) -> None:
    furnished.visitor.watch.expected |= {422}
    furnished.visitor.go(furnished.places["reader-new"])
    furnished.visitor.fill("Address", "nobody at all")
    furnished.visitor.press("Add this reader")
    furnished.visitor.ready()


def _menu(furnished: Furnished) -> None:
    furnished.visitor.page.set_viewport_size({"width": 390, "height": 844})
    furnished.visitor.go(furnished.places["home"])
    furnished.visitor.page.get_by_text("More", exact=True).click()


def _mail_in_the_mailbox(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["mailbox"])
    furnished.visitor.page.get_by_role("row").get_by_role("link").first.click()
    furnished.visitor.ready()


def _nowhere(furnished: Furnished) -> None:
    furnished.visitor.watch.expected |= {404}
    furnished.visitor.go("/studio/tidelines/nowhere")


def _welcome(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["newsletter"])
    furnished.visitor.box("What it says").fill(
        'Hello {first_name, "there"}. The next letter comes on *Sunday*.'
    )
    furnished.visitor.press("Save")
    furnished.visitor.ready()
    furnished.visitor.follow("See the welcome mail as it was last saved")


def _newsletter_wrong(furnished: Furnished) -> None:
    furnished.visitor.watch.expected |= {422}
    furnished.visitor.go(furnished.places["newsletter-new"])
    furnished.visitor.fill("Name", "Заметки")
    furnished.visitor.fill("From address", "ana")
    furnished.visitor.press("Add this newsletter")
    furnished.visitor.ready()


def _confirm(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["site-subscribe"])
    furnished.visitor.fill("Your email address", "lena@example.org")
    furnished.visitor.press("Subscribe")
    furnished.visitor.ready()
    mail = furnished.godwit.mails(to="lena@example.org", kind="confirm", wait=10)[0]
    furnished.visitor.go(next(link for link in mail.links if "/confirm/" in link))


def _subscribe_wrong(furnished: Furnished) -> None:
    furnished.visitor.watch.expected |= {422}
    furnished.visitor.go(furnished.places["site-subscribe"])
    furnished.visitor.fill("Your email address", "lena@example")
    furnished.visitor.press("Subscribe")
    furnished.visitor.ready()


def _own_page(furnished: Furnished) -> None:
    _confirm(furnished)
    if furnished.visitor.page.get_by_role("button", name="Yes, subscribe me").count():  # else it was pressed
        furnished.visitor.press("Yes, subscribe me")
    furnished.visitor.go(furnished.places["site-sign-in"])
    if furnished.visitor.page.url.endswith("/me"):
        return
    furnished.visitor.fill("Your email address", "lena@example.org")
    furnished.visitor.press("Send me a code")
    mail = furnished.godwit.mails(to="lena@example.org", kind="code", wait=10)[0]
    furnished.visitor.go(next(link for link in mail.links if "/sign-in/" in link))
    furnished.visitor.press("Sign in")
    furnished.visitor.ready()


def _access_given(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["reader-access"])
    furnished.visitor.fill("Why they get it", "My editor")
    furnished.visitor.box("Last day").fill("2027-05-31")
    furnished.visitor.press("Give access")
    furnished.visitor.ready()


def _plan_wrong(furnished: Furnished) -> None:
    furnished.visitor.watch.expected |= {422}
    furnished.visitor.go(furnished.places["plans"])
    furnished.visitor.fill("Name", "Gold")
    furnished.visitor.press("Make the plan")
    furnished.visitor.ready()


def _kept_signed_in(furnished: Furnished) -> None:
    _own_page(furnished)
    furnished.visitor.go(furnished.places["site-kept"])


def _unsubscribed(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["site-unsubscribe"])
    furnished.visitor.press("Unsubscribe")
    furnished.visitor.ready()


_SITUATIONS: dict[str, Callable[[Furnished], Any]] = {
    "publish-by-mail": _publish_by_mail,
    "editor-mail": _editor_mail,
    "editor-details": _editor_details,
    "editor-cards": _editor_cards,
    "version-changed": _version_changed,
    "publish-both": _publish_both,
    "publish-again": _published_already,
    "reader-new-wrong": _reader_wrong,
    "home-menu": _menu,
    "mailbox-mail": _mail_in_the_mailbox,
    "nowhere": _nowhere,
    "newsletter-welcome": _welcome,
    "newsletter-wrong": _newsletter_wrong,
    "site-confirm": _confirm,
    "site-subscribe-wrong": _subscribe_wrong,
    "site-me": _own_page,
    "reader-access-given": _access_given,
    "plan-wrong": _plan_wrong,
    "site-kept-signed-in": _kept_signed_in,
    "site-unsubscribed": _unsubscribed,
}


@pytest.mark.parametrize("situation", _SITUATIONS)
def test_situation(furnished: Furnished, situation: str) -> None:
    """After something was done on it."""
    _SITUATIONS[situation](furnished)
    assert not look_at(furnished.visitor.page, situation)


def test_the_way_in(furnished: Furnished) -> None:
    """The pages before the studio."""
    guest = furnished.guest
    guest.go("/sign-in")
    wrong = look_at(guest.page, "sign-in")
    guest.fill("Your email address", EMAIL)
    guest.press("Send me a code")
    guest.ready()
    wrong += look_at(guest.page, "code")
    furnished.visitor.watch.expected |= {422}
    guest.fill("The six digits", "000000")
    guest.press("Sign in")
    guest.ready()
    wrong += look_at(guest.page, "code-wrong")
    assert not wrong


def test_an_empty_publication(furnished: Furnished, godwit: Godwit) -> None:
    """Before anything happened, each page says what could."""
    godwit.account("untouched", "ida@example.org", "Untouched")
    guest = furnished.guest
    guest.sign_in("ida@example.org")
    wrong: list[str] = []
    for place in ("", "posts", "releases", "broadcasts", "readers", "imports", "settings"):
        Studio(guest, "untouched").open(place)
        wrong += look_at(guest.page, f"empty-{place or 'home'}")
    guest.go(godwit.site("untouched") + "/")
    wrong += look_at(guest.page, "empty-site")
    assert not wrong


def test_an_email_on_its_way(furnished: Furnished) -> None:
    """While it goes out, on its own page and on the first one."""
    furnished.visitor.go(furnished.going_out())
    expect(furnished.visitor.page.get_by_role("region", name="How far it is")).to_have_attribute(
        "data-state", "sending"
    )
    wrong = look_at(furnished.visitor.page, "email-going")
    furnished.visitor.go(furnished.places["home"])
    wrong += look_at(furnished.visitor.page, "home-after")
    furnished.godwit.drain()
    assert not wrong


def test_nothing_broke_in_the_browser(furnished: Furnished) -> None:
    """While all these pages were looked at."""
    assert not furnished.visitor.watch.problems
