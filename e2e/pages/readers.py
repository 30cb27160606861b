"""The readers: the list, one of them, and bringing them along."""

from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from e2e.pages.studio import Studio

IMPORT_MS = 60_000


class Readers:
    """The list of readers."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.visitor = studio, studio.visitor

    def open(self) -> None:
        """By the navigation."""
        self.studio.to("Readers")

    def counts(self) -> dict[str, int]:
        """How many there are by state, as the page has it."""
        return {state: self.visitor.figure(state) for state in ("all", "active", "unsubscribed")}

    def find(self, words: str) -> None:
        """Search by a part of address or name."""
        self.visitor.fill("Address or name", words)
        self.visitor.press("Find")
        self.visitor.ready()


class Import:
    """The page that takes a file, and the page of one import."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.visitor = studio, studio.visitor

    def open(self) -> None:
        """By its address."""
        self.studio.open("imports")

    def choose(self, file: Path | dict[str, Any]) -> None:
        """Give a file, and press."""
        self.visitor.box("Members export (CSV)").set_input_files(file)  # pyright: ignore[reportArgumentType]
        self.visitor.press("Import these readers")
        self.visitor.ready()

    def finished(self) -> dict[str, int]:
        """Wait until it is over; the figures it ended with."""
        progress = self.visitor.page.get_by_role("region", name="How far it is")
        expect(progress).to_have_attribute("data-state", "done", timeout=IMPORT_MS)
        names = ("rows", "created", "updated", "unchanged", "skipped", "failed")
        return {name: self.visitor.figure(name) for name in names}
