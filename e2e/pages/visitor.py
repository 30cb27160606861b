"""Somebody with a browser: where they go, and how one waits with them."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.sync_api import Locator, Page, expect

from e2e.watching import Watch

if TYPE_CHECKING:
    from e2e.running import Godwit


@dataclass
class Visitor:
    """A page in a context of its own. `scripted`: whether their browser runs scripts."""

    page: Page
    godwit: "Godwit"
    watch: Watch
    scripted: bool = True

    def sign_in(self, email: str) -> None:
        """As if a code had been mailed and entered."""
        self.page.context.add_cookies(self.godwit.signed_in(email)["cookies"])

    def go(self, url: str) -> None:
        """Open an address, of the studio's host unless it is whole, and wait until its scripts are bound."""
        self.page.goto(url if url.startswith("http") else self.godwit.studio + url)
        self.ready()

    def ready(self) -> None:
        """The page's scripts are bound, and no region awaits an answer."""
        if self.scripted:
            expect(self.page.locator("html[data-ready]")).to_be_attached()
            expect(self.page.locator("[aria-busy=true]")).to_have_count(0)

    def press(self, name: str | re.Pattern[str]) -> None:
        """Press the button of that name."""
        self.page.get_by_role("button", name=name, exact=isinstance(name, str)).click()

    def follow(self, name: str | re.Pattern[str]) -> None:
        """Follow the link of that name."""
        self.page.get_by_role("link", name=name, exact=isinstance(name, str)).first.click()
        self.ready()

    def fill(self, name: str, words: str) -> None:
        """Type into the field of that name."""
        self.box(name).fill(words)

    def box(self, name: str) -> Locator:
        """The field of that name; "(if you like)" behind it does not matter."""
        return self.page.get_by_label(re.compile(rf"^{re.escape(name)}( \(if you like\))?$"))

    def heading(self) -> Locator:
        """The page's first heading."""
        return self.page.get_by_role("heading", level=1)

    def status(self) -> Locator:
        """What was just said, politely."""
        return self.page.get_by_role("status")

    def alert(self) -> Locator:
        """What was just said, at once."""
        return self.page.get_by_role("alert")

    def figure(self, name: str) -> int:
        """A number on the page, of now."""
        return int(self.page.locator(f'[data-figure="{name}"]').first.get_attribute("data-value") or "-1")

    def row(self, words: str) -> Locator:
        """The row of a table with these words."""
        return self.page.get_by_role("row").filter(has_text=words)
