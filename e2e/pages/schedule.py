"""What waits for its time, and the published versions it makes."""

import re

from playwright.sync_api import Locator, expect

from e2e.pages.posts import Publish
from e2e.pages.studio import Studio


class Later:
    """The part of the publish page that says when."""

    def __init__(self, publish: Publish) -> None:
        self.visitor, self.page = publish.visitor, publish.page

    def choose(self, wall: str) -> None:
        """At a time: `2027-03-14T02:30`, in the publication's zone."""
        self.page.get_by_role("radio", name="At a time", exact=True).check()
        self.page.get_by_label("Date and time").fill(wall)

    def line(self) -> Locator:
        """What that time is in UTC, and how far away."""
        return self.page.locator("#when-line")

    def press(self) -> None:
        """Schedule it."""
        self.visitor.press("Schedule it")
        self.visitor.ready()


class Scheduled:
    """The page of one that waits, or of what became of it."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.visitor = studio, studio.visitor
        self.page = studio.visitor.page

    def sentence(self) -> Locator:
        """Its first line."""
        return self.page.locator(".lead").first

    def stands(self, state: str) -> None:
        """Load it again, and see that it is waiting, done, cancelled or failed."""
        self.page.reload()
        self.visitor.ready()
        shown = {"waiting": "scheduled"}.get(state, state)
        expect(self.page.locator(f'.tag[data-state="{shown}"]').first).to_be_visible()

    def move(self, wall: str) -> None:
        """Another time."""
        self.page.get_by_label("Date and time").fill(wall)
        self.visitor.press("Change the time")
        self.visitor.ready()

    def cancel(self) -> None:
        """Let it not happen; it is over once the page says so."""
        self.visitor.press("Cancel it")
        expect(self.visitor.status().filter(has_text="Cancelled: nothing is published")).to_be_visible()

    def now(self) -> None:
        """Do not wait for its time."""
        self.visitor.press(re.compile("^(Publish|Send to|Publish and send to).* now$"))
        self.visitor.ready()


class Versions:
    """The published versions."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.visitor = studio, studio.visitor
        self.page = studio.visitor.page

    def open(self, number: int) -> None:
        """One of them, from the list."""
        self.studio.to("Published")
        self.visitor.follow(f"Version {number}")

    def restoring(self) -> Locator:
        """What bringing it back would change."""
        return self.page.get_by_role("region", name="Bring this version back")

    def restore(self, number: int) -> None:
        """Press it."""
        self.visitor.press(f"Restore version {number}")
        self.visitor.ready()
