"""Automatic emails."""

from playwright.sync_api import Locator

from e2e.pages.studio import Studio


class Messages:
    """The list of them."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.page = studio, studio.visitor.page

    def open(self) -> None:
        """Open the list."""
        self.studio.open("messages")

    def refusal(self) -> Locator:
        """That the provider refuses us, and why."""
        return self.page.locator("#refused")
