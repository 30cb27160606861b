"""The mailbox of development and testing, as a page."""

from e2e.pages.visitor import Visitor


class Mailbox:
    """What was handed over, to be looked at."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor

    def open(self) -> None:
        """The newest mails."""
        self.visitor.go("/mailbox")

    def search(self, to: str) -> None:
        """Only those to an address."""
        self.visitor.fill("To", to)
        self.visitor.press("Search")
        self.visitor.ready()
