"""The publication's settings."""

from playwright.sync_api import Locator, expect

from e2e.pages.studio import Studio


class Settings:
    """Name, zone, sender and undo time, saved together."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.visitor = studio, studio.visitor

    def open(self) -> None:
        """Open the page."""
        self.studio.open("settings")

    def zone(self) -> Locator:
        """The field of the time zone."""
        return self.visitor.box("Time zone")

    def undo_time(self) -> Locator:
        """The choice of how long an email can be undone."""
        return self.visitor.page.get_by_role("combobox", name="Time to undo")

    def save(self) -> None:
        """Save all of it, and read that it was saved."""
        self.visitor.press("Save")
        self.visitor.ready()
        expect(self.visitor.status()).to_have_text("Saved.")
