"""The readers: the list, one of them, and bringing them along."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, expect

from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor

IMPORT_MS = 60_000
BRING, TRY = "Import these readers", "Try it first, change nothing"


def over(visitor: Visitor, state: str) -> Locator:
    """How far it is, once it is in that state. A browser without scripts loads the page again."""
    progress = visitor.page.get_by_role("region", name="How far it is")
    if not visitor.scripted:
        expect(progress).to_be_visible()
        visitor.godwit.drain()
        visitor.page.reload()
    expect(progress).to_have_attribute("data-state", state, timeout=IMPORT_MS)
    return progress


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

    def listed(self) -> list[str]:
        """The addresses on this page of the list."""
        return self.visitor.page.locator("tr[data-id] a").all_inner_texts()

    def found(self) -> int:
        """How many the filter found, all of them."""
        return self.visitor.figure("matching")


class Act:
    """The page of something done with many readers."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.visitor = studio, studio.visitor

    def finished(self) -> str:
        """Wait until it is over; the sentence it ended with. A browser without scripts loads it again."""
        return over(self.visitor, "done").locator("#progress-sentence").inner_text()


class Import:
    """The page that takes a file, and the page of one import."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.visitor = studio, studio.visitor

    def open(self) -> None:
        """By its address."""
        self.studio.open("imports")

    def choose(self, file: Path | dict[str, Any], press: str = BRING) -> None:
        """Give a file, and press; `TRY` is the press that changes nothing."""
        self.visitor.box("Your readers (CSV)").set_input_files(file)  # pyright: ignore[reportArgumentType]
        self.visitor.press(press)
        self.visitor.ready()

    def choose_posts(self, file: dict[str, Any]) -> None:
        """Give a file of posts, and press."""
        self.visitor.box("Your posts (JSON or zip)").set_input_files(file)  # pyright: ignore[reportArgumentType]
        self.visitor.press("Import these posts")
        self.visitor.ready()

    def go_on_as_guessed(self, press: str = BRING) -> None:
        """A table of no product: its columns mean what their names say."""
        expect(self.visitor.page.get_by_role("region", name="What the columns mean")).to_be_visible()
        self.visitor.press(press)
        self.visitor.ready()

    def for_real(self) -> None:
        """After a dry run: now let it happen."""
        self.visitor.press("Import these readers now")
        self.visitor.ready()

    def undo(self) -> None:
        """Take it back, and wait until it is."""
        self.visitor.page.get_by_role("link", name="Undo this import …").click()
        self.visitor.ready()
        self.visitor.page.get_by_role("button", name="Undo it:").click()
        self.visitor.ready()
        over(self.visitor, "undone")

    def standing(self) -> tuple[int, int, int, int]:
        """Readers of the file who are subscribed, unsubscribed, not confirmed, blocked."""
        told = [self.visitor.figure(name) for name in ("subscribed", "unsubscribed", "pending", "blocked")]
        return (told[0], told[1], told[2], told[3])

    def finished(self) -> dict[str, int]:
        """Wait until it is over; the figures it ended with."""
        over(self.visitor, "done")
        names = ("rows", "created", "updated", "unchanged", "skipped", "failed")
        return {name: self.visitor.figure(name) for name in names}
