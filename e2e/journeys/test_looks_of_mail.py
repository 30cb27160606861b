"""What is mailed, in each of its states: its pages as test_looks looks at them."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from e2e.conftest import STEP_MS
from e2e.looking import look_at
from e2e.mail_server import MailServer, a_mail_server
from e2e.pages.email import Email
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Account, Godwit
from e2e.watching import Watch

OPERATOR = "olga@example.org"


class House:
    """A Godwit that mails by a server which fails as it is told, and a browser; `wrong` is what was seen."""

    def __init__(self, browser: Browser, godwit: Godwit, server: MailServer) -> None:
        self.godwit, self.server = godwit, server
        context = browser.new_context(
            viewport={"width": 1280, "height": 900}, locale="en-GB", bypass_csp=True
        )
        context.set_default_timeout(STEP_MS)
        self.visitor = Visitor(context.new_page(), godwit, Watch(context, True))
        godwit.account("olgas", OPERATOR, "Olga's", operator=True)
        self.wrong: list[str] = []
        self._made = 0

    def publication(self) -> "Publication":
        """A new one with twelve readers, its owner in the browser."""
        self._made += 1
        account = self.godwit.an_account(seed=900 + self._made, readers=12, posts=2)
        self.visitor.sign_in(account.email)
        return Publication(self, account)

    def look(self, name: str, place: str = "") -> None:
        """Look at a place, or at the page as it stands."""
        if place:
            self.visitor.go(place)
        self.wrong += look_at(self.visitor.page, name)

    def seen(self) -> list[str]:
        """What was wrong since this was asked last."""
        told, self.wrong = self.wrong + self.visitor.watch.problems, []
        return told


class Publication:
    """Two posts to mail, and whom to."""

    def __init__(self, house: House, account: Account) -> None:
        self.house, self.api, self.slug, self.email = house, account.api, account.slug, account.email
        self.base = f"/studio/{account.slug}"
        self.posts = [post["id"] for post in self.api.get("/posts")["items"]]
        readers = self.api.get("/readers?limit=3")["items"]
        self.addresses = [reader["email"] for reader in readers]
        self.ids = [reader["id"] for reader in readers]

    def mail(self, state: str, **email: Any) -> tuple[str, str]:
        """Mail the next post and wait until its page is in that state; its id and address."""
        told = self.api.post(f"/posts/{self.posts.pop()}/publish", {"site": False, "email": email})
        url = f"{self.base}/broadcasts/{told['broadcast']}"
        self.house.visitor.go(url)
        expect(Email(Studio(self.house.visitor, self.slug)).progress()).to_have_attribute("data-state", state)
        return told["broadcast"], url

    def says(self, words: str) -> None:
        """The email's page says so."""
        expect(self.house.visitor.page.locator("#progress-sentence")).to_contain_text(words)

    def stop(self, on: bool) -> None:
        """Its switch, for mail to readers."""
        self.api.put("/switch", {"on": on, "scope": "bulk", "reason": "The subject line is wrong"})

    def message(self, to: str) -> str:
        """An automatic email; its page's address."""
        words = {"subject": "Your order of three prints", "text": "They fly tomorrow."}
        return f"{self.base}/messages/{self.api.post('/messages', {'to': to, **words})['id']}"


@pytest.fixture(scope="module")
def house(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Made once for all photographs."""
    with a_mail_server() as server:
        server.let_in()
        settings = {"GODWIT_MAIL_PROVIDER": "smtp", "GODWIT_SMTP_URL": server.url, "GODWIT_SEND_RATE": "0"}
        godwit = Godwit(tmp_path_factory.mktemp("house"), settings)
        made = House(browser, godwit, server)
        yield made
        made.visitor.page.context.close()
        godwit.stop()


def test_an_email_that_can_be_undone_and_was(house: House) -> None:
    """On its own page and the first one."""
    one = house.publication()
    broadcast, url = one.mail("scheduled", undo_seconds=600)
    house.look("email-scheduled")
    house.look("home-scheduled", one.base)
    house.look("email-nobody-waits", f"{url}/sends?state=sent")
    one.api.post(f"/broadcasts/{broadcast}/cancel", {})
    house.look("email-undone", url)
    assert not house.seen()


def test_an_email_of_which_some_copies_failed_or_are_unsure(house: House) -> None:
    """A person settles them; who may have got it twice is listed."""
    one = house.publication()
    gone, *lost = one.addresses
    house.server.order(
        f"RCPT say 550 5.1.1 No such user here for {gone}", *(f"1x end drop kept for {to}" for to in lost)
    )
    broadcast, url = one.mail("sending")
    one.says("Somebody has to say")
    house.look("email-deciding")
    house.look("email-unsure", f"{url}/unsure")
    house.look("email-copies-failed", f"{url}/sends?state=failed")
    house.look("email-copies-unsure", f"{url}/sends?state=unknown")
    house.look("email-why-unsure", f"{url}/why?address={lost[0]}")
    for verdict, reader in zip(("planned", "sent"), one.ids[1:], strict=True):
        one.api.post(f"/broadcasts/{broadcast}/resolve", {"as": verdict, "readers": [reader]})
    house.visitor.go(url)
    one.says("11 of 12 got it; 1 failed")
    house.look("email-doubles")
    house.look("email-doubles-who", f"{url}/unsure")
    house.look("home-after-doubles", one.base)
    assert not house.seen()


def test_an_email_whose_server_went_away(house: House) -> None:
    """Paused by itself, then cancelled for good."""
    one = house.publication()
    house.server.goes_down(after=4)
    broadcast, url = one.mail("paused")
    one.says("cannot be reached")
    house.look("email-not-reached")
    house.look("email-copies-waiting", f"{url}/sends?state=waiting")
    house.look("email-cancel", f"{url}/cancel")
    one.api.post(f"/broadcasts/{broadcast}/cancel", {})
    house.look("email-cancelled", url)
    house.server.order()
    assert not house.seen()


def test_mail_is_stopped(house: House) -> None:
    """By the team, then held until it is let go; by an operator, for everybody."""
    one = house.publication()
    house.look("switch-going", f"{one.base}/switch")
    one.stop(True)
    broadcast, url = one.mail("sending")
    one.says("a switch holds mail")
    house.look("email-held")
    one.api.post(f"/broadcasts/{broadcast}/pause", {})
    house.look("email-paused", url)
    one.api.post(f"/broadcasts/{broadcast}/resume", {})
    house.look("switch-stopped", f"{one.base}/switch")
    house.visitor.sign_in(OPERATOR)
    house.look("console-switches", "/console/switches")
    house.visitor.sign_in(one.email)
    one.stop(False)
    house.look("switch-holding", f"{one.base}/switch")
    one.api.post("/switch/let-go", {})
    house.godwit.drain()
    assert not house.seen()


def test_automatic_emails_in_each_state(house: House) -> None:
    """And the jobs that they are, as an operator sees them."""
    one = house.publication()
    house.server.order(
        "RCPT say 550 5.1.1 No such user here for gone@example.org",
        "end drop kept for lost@example.org",
        "RCPT drop for away@example.org",
    )
    house.look("messages-none", f"{one.base}/messages")
    places = {to: one.message(f"{to}@example.org") for to in ("taken", "gone", "lost", "away")}
    house.godwit.drain()
    house.look("messages", f"{one.base}/messages")
    house.look("messages-of-no-state", f"{one.base}/messages?state=discarded")
    for to, place in places.items():
        house.look(f"message-{to}", place)
    house.visitor.sign_in(OPERATOR)
    house.look("console-jobs", "/console/jobs")
    house.look("console-jobs-dead", "/console/jobs?state=dead")
    house.visitor.page.get_by_role("row").get_by_role("link").last.click()
    house.visitor.ready()
    house.look("console-job")
    house.look("console-jobs-none", "/console/jobs?state=superseded")
    assert not house.seen()
