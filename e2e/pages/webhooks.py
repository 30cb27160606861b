"""Webhooks, and who was told of a published version."""

from playwright.sync_api import Locator, expect

from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor


def watch(visitor: Visitor, region: Locator, state: str) -> None:
    """Wait until a region stands so: by itself, or by looking again without scripts."""
    if not visitor.scripted:
        expect(region).to_be_visible()
        visitor.godwit.drain()
        visitor.page.reload()
    expect(region).to_have_attribute("data-state", state)


class Webhooks:
    """The list, and the form of a new one."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.visitor = studio, studio.visitor
        self.page = studio.visitor.page

    def open(self) -> None:
        """By the navigation."""
        self.studio.to("Webhooks")

    def add(self, url: str, name: str) -> str:
        """Add one for everything; the secret that is shown once."""
        self.visitor.follow("Add a webhook")
        self.visitor.fill("Address", url)
        self.visitor.fill("What it is for", name)
        self.visitor.press("Add the webhook")
        self.visitor.ready()
        return self.page.get_by_label("Secret", exact=True).input_value()

    def row(self, name: str) -> Locator:
        """One of the list."""
        return self.visitor.row(name)


class Told:
    """The part of a published version's page that says who was told."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.visitor = studio, studio.visitor
        self.page = studio.visitor.page
        self.region = self.page.get_by_role("region", name="Who was told")

    def open(self, number: int) -> None:
        """Of the version of this number."""
        self.studio.open(f"releases/{number}")

    def line(self, name: str) -> Locator:
        """The delivery to a webhook."""
        return self.region.get_by_role("row").filter(has=self.page.get_by_role("link", name=name, exact=True))

    def becomes(self, state: str) -> None:
        """Watch the whole turn into this state."""
        watch(self.visitor, self.region, state)

    def follow(self, name: str) -> "Delivery":
        """Open the delivery to a webhook."""
        self.line(name).get_by_role("link", name=name, exact=True).click()
        self.visitor.ready()
        return Delivery(self.studio)


class Delivery:
    """One delivery, attempt by attempt."""

    def __init__(self, studio: Studio) -> None:
        self.visitor, self.page = studio.visitor, studio.visitor.page
        self.region = self.page.get_by_role("region", name="How it stands")

    def becomes(self, state: str) -> None:
        """Watch it turn into this state."""
        watch(self.visitor, self.region, state)

    def sentence(self) -> Locator:
        """How it stands, in words."""
        return self.region.locator("#standing-sentence")

    def attempts(self) -> Locator:
        """A row each, oldest first."""
        return self.region.get_by_role("table", name="Attempts, oldest first").locator("tbody tr")

    def sent(self, number: int) -> str:
        """What was sent and what came back at a try, all of it."""
        sheet = self.region.locator("details").nth(number - 1)
        sheet.locator("summary").click()
        return sheet.inner_text()
