"""A publication in which something happened, for the photographs: made once for all of them."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from playwright.sync_api import Browser

from app.cli.folder import ROOT
from e2e.conftest import STEP_MS
from e2e.looking import E2E
from e2e.pages.readers import Import
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Api, Godwit, Mailed
from e2e.watching import Watch

PICTURE = E2E / "data" / "wader.svg"
EMAIL, SLUG = "ada@example.org", "tidelines"
BASE = f"/studio/{SLUG}"
TABLE = {
    "name": "table.csv",
    "mimeType": "text/csv",
    "buffer": b"email,who,size\nzoe@example.org,Zoe,42\n",
}


def a_visitor(browser: Browser, godwit: Godwit, watch: Watch | None = None) -> Visitor:
    """Somebody whose browser lets axe in, which is no script of ours, and has the pictures of elsewhere."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-GB", bypass_csp=True)
    context.set_default_timeout(STEP_MS)
    context.route("https://example.com/*.jpg", lambda route: route.fulfill(path=PICTURE))
    return Visitor(context.new_page(), godwit, watch or Watch(context, True))


class Furniture:
    """The publication; furnished by the first who comes with a browser. `places` are names and addresses."""

    def __init__(self, godwit: Godwit) -> None:
        self.godwit = godwit
        self.places: dict[str, str] = {}
        self.api: Api

    def furnish(self, visitor: Visitor) -> None:
        """Let something have happened in it, unless it has."""
        if self.places:
            return
        godwit, base = self.godwit, BASE
        godwit.account(SLUG, EMAIL, "Tidelines", "Strandvägen 1, 621 55 Visby, Sweden")
        visitor.sign_in(EMAIL)
        self.api = api = godwit.api(SLUG)
        few = (ROOT / "tests" / "data" / "ghost-members.csv").read_text().splitlines()[:240]
        few += ["broken,nobody at all,Not An Address,,true,false,,2021-01-01T00:00:00.000Z,,,"]
        brought = api.import_readers("\n".join(few).encode())
        posts = [self.post(title) for title in ("Counting in the dark", "What the tide leaves behind")]
        long = api.post("/posts", {"markdown": (ROOT / "tests" / "data" / "post-long.md").read_text()})["id"]
        api.post(f"/posts/{posts[0]}/publish", {"site": True, "email": None})
        sent = api.post(f"/posts/{long}/publish", {"site": True, "email": {}})
        plan = self._plan(visitor)
        self.post("Where they nest", access="paid", tags=["Birds", "Nests"])
        kept = self.post("What is kept", access="paid", tags=["Birds"], cover="https://example.com/a.jpg")
        about = self.post("About", kind="page")
        for one in (kept, about):
            api.post(f"/posts/{one}/publish", {"site": True, "email": None})
        godwit.drain()
        later = self.post("What comes on Sunday")
        at = (datetime.now(UTC) + timedelta(days=3)).isoformat()
        waits = api.post(f"/posts/{later}/publish", {"site": True, "email": {}, "at": at})
        reader = api.get("/readers?limit=1")["items"][0]["id"]
        mail = godwit.mails(kind="broadcast", account=SLUG, limit=1)[0]
        self.places = {
            "home": base,
            "posts": f"{base}/posts",
            "editor-new": f"{base}/posts/new",
            "editor": f"{base}/posts/{long}",
            "versions": f"{base}/posts/{long}/versions",
            "version-1": f"{base}/posts/{long}/versions/1",
            "preview": f"{base}/posts/{long}/preview",
            "preview-phone": f"{base}/posts/{long}/preview?view=phone&reader=free",
            "publish": f"{base}/posts/{posts[1]}/publish",
            "publish-links": f"{base}/posts/{posts[1]}/publish/links",
            "published": f"{base}/releases",
            "scheduled": f"{base}/scheduled",
            "scheduled-one": f"{base}/scheduled/{waits['scheduled']}",
            "publish-waiting": f"{base}/posts/{later}/publish",
            "unpublish": f"{base}/posts/{posts[0]}/unpublish",
            "delete": f"{base}/posts/{posts[1]}/delete",
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
            **self._brought_by_hand(visitor),
            "export": f"{base}/export",
            "settings": f"{base}/settings",
            "plans": f"{base}/plans",
            "plan": plan,
            "reader-access": f"{base}/readers/{reader}/access",
            "mailbox": "/mailbox",
            "api-docs": "/api/docs",
            "newsletters": f"{base}/newsletters",
            "newsletter": f"{base}/newsletters/newsletter?source=blog",
            "newsletter-new": f"{base}/newsletters/new",
            **self._site_places(mail),
        }

    def _site_places(self, mail: Mailed) -> dict[str, str]:
        """What readers see."""
        site = self.godwit.site(SLUG)
        return {
            "site-archive": f"{site}/archive",
            "site-tag": f"{site}/tag/birds",
            "site-kept": f"{site}/what-is-kept",
            "site-about": f"{site}/about",
            "site-nothing": f"{site}/nothing-of-the-kind",
            "site": site + "/",
            "site-post": f"{site}/the-bird-that-does-not-land-eleven-days-over-the-pacific",
            "site-unsubscribe": next(link for link in mail.links if "/unsubscribe/" in link),
            "site-unsubscribe-broken": f"{site}/unsubscribe/nothing",
            "site-subscribe": f"{site}/subscribe",
            "site-check-inbox": f"{site}/subscribe/check-inbox?email=anna@example.org",
            "site-confirm-broken": f"{site}/confirm/nothing",
            "site-sign-in": f"{site}/sign-in",
            "site-sign-in-code": f"{site}/sign-in/code?email=anna@example.org",
            "site-sign-in-link-broken": f"{site}/sign-in/nothing",
        }

    def post(self, title: str, **more: Any) -> str:
        """A new one with a few words; its id."""
        words = f"A short piece on {title.lower()}.\n\n## And then\n\n- salt\n- silence\n- foam"
        words += "\n\n<!--paywall-->\n\nThe rest of it." if more.get("access") else ""
        return self.api.post("/posts", {"title": title, "markdown": words, **more})["id"]

    def _plan(self, visitor: Visitor) -> str:
        """Two plans made, the second of which somebody may be given; the address of its page."""
        for name, gives in (("Silver", ""), ("Gold", "Every letter, and the field notes.")):
            visitor.go(f"{BASE}/plans")
            visitor.fill("Name", name)
            visitor.box("What it gives").fill(gives)
            visitor.press("Make the plan")
            visitor.ready()
        link = visitor.page.get_by_role("link", name="Gold", exact=True)
        return link.get_attribute("href") or ""

    def _brought_by_hand(self, visitor: Visitor) -> dict[str, str]:
        """A table that waits for its columns, and posts of which not all came along."""
        bringing = Import(Studio(visitor, SLUG))
        bringing.open()
        bringing.choose(TABLE)
        waiting = visitor.page.url
        bringing.open()
        post = {"id": "1", "title": "From elsewhere", "slug": "elsewhere", "status": "published"}
        post |= {"html": '<p>x</p><img src="https://example.com/a.jpg" alt="">', "visibility": "tiers"}
        file = json.dumps({"db": [{"data": {"posts": [post]}}]}).encode()
        bringing.choose_posts({"name": "ghost.json", "mimeType": "application/json", "buffer": file})
        bringing.finished()
        return {"import-columns": waiting, "import-posts": visitor.page.url}


class Furnished:
    """The publication, a browser that is signed in to it, and one of somebody else."""

    def __init__(self, browser: Browser, furniture: Furniture) -> None:
        self.furniture, self.godwit = furniture, furniture.godwit
        self.visitor = a_visitor(browser, self.godwit)
        self.guest = a_visitor(browser, self.godwit, self.visitor.watch)
        furniture.furnish(self.visitor)
        self.visitor.sign_in(EMAIL)
        self.visitor.watch.expected |= {404, 409, 422}
        self.places, self.api, self.post = furniture.places, furniture.api, furniture.post

    def close(self) -> list[str]:
        """Leave; what went wrong in the browsers unseen."""
        for visitor in (self.visitor, self.guest):
            visitor.page.context.close()
        return self.visitor.watch.problems
