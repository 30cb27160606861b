"""Writing and publishing, in each situation: its pages as test_looks looks at them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import expect

from app.cli.folder import ROOT
from e2e.furnishing import BASE, SLUG, Furnished
from e2e.looking import look_at
from e2e.pages.posts import Editor
from e2e.pages.schedule import Scheduled, Versions
from e2e.pages.studio import Studio


def _editor_mail(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["editor"])
    furnished.visitor.page.get_by_role("radio", name="Mail", exact=True).check()
    frame = furnished.visitor.page.frame_locator("iframe[title='The email as readers get it']")
    frame.get_by_text("thank you for reading").wait_for()


def _editor_details(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["editor"])
    furnished.visitor.page.get_by_text("Excerpt, address, tags, readers").click()
    furnished.visitor.page.get_by_text("Cover and search engines").click()
    furnished.visitor.page.get_by_text("Add a picture").click()


def _editor_cards(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["editor-new"])
    cards = ":::callout\nSet apart.\n:::\n\n:::quote\nStop here.\n:::\n\n:::button\n[Go](https://example.org)\n:::"
    furnished.visitor.page.get_by_role("textbox", name="Text", exact=True).fill(cards)
    furnished.visitor.page.locator("#preview .card-button").wait_for()


def _version_changed(furnished: Furnished) -> None:
    place = furnished.places["editor"].removeprefix(BASE)
    version = furnished.api.get(place)["version"]
    words = (ROOT / "tests" / "data" / "post-long.md").read_text().replace("a bird", "a wader")
    furnished.api.patch(place, {"version": version, "markdown": words})
    furnished.visitor.go(furnished.places["version-1"])


def _publish_by_mail(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["publish"])
    page = furnished.visitor.page
    page.get_by_role("radio", name="To the site and by email", exact=True).check()
    page.get_by_role("radio", name="At a time", exact=True).check()
    page.get_by_label("Date and time").fill(f"{datetime.now(UTC) + timedelta(days=9):%Y-%m-%dT09:30}")
    page.locator("#when-line").filter(has_text="UTC").wait_for()


def _publish_both(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["publish"])
    furnished.visitor.page.get_by_role("radio", name="To the site and by email", exact=True).check()


def _published_already(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["editor"] + "/publish")
    furnished.visitor.page.get_by_role("radio", name="By email only", exact=True).check()


def _conflict(furnished: Furnished) -> None:
    """A program saved while somebody typed."""
    post = furnished.post("Two hands")
    furnished.visitor.go(f"{BASE}/posts/{post}")
    furnished.api.patch(f"/posts/{post}", {"version": 1, "markdown": "Their words on the same tide."})
    Editor(Studio(furnished.visitor, SLUG)).text.fill("My words on the tide.")
    expect(furnished.visitor.box("Their text")).to_be_visible()


def _publish_stopped(furnished: Furnished) -> None:
    post = furnished.api.post("/posts", {"title": "Not a word yet", "markdown": ""})["id"]
    furnished.visitor.go(f"{BASE}/posts/{post}/publish")
    furnished.visitor.page.get_by_role("radio", name="To the site and by email", exact=True).check()
    expect(furnished.visitor.page.get_by_role("heading", name="Stops you")).to_be_visible()


def _publish_refused(furnished: Furnished) -> None:
    """Pressed with a time that is past."""
    furnished.visitor.go(furnished.places["publish"])
    page = furnished.visitor.page
    page.get_by_role("radio", name="To the site", exact=True).check()
    page.get_by_role("radio", name="At a time", exact=True).check()
    page.get_by_label("Date and time").fill("2020-05-01T09:00")
    furnished.visitor.press("Schedule it")
    furnished.visitor.ready()
    expect(furnished.visitor.alert().first).to_contain_text("Nothing was published")


def _scheduled(furnished: Furnished, title: str, seconds: float) -> Scheduled:
    """A post that waits for a time so far ahead, on its page."""
    now = datetime.fromisoformat(furnished.godwit.call("GET", "/testing/clock")["now"].replace("Z", "+00:00"))
    at = (now + timedelta(seconds=seconds)).isoformat()
    post = furnished.post(title)
    made = furnished.api.post(f"/posts/{post}/publish", {"site": True, "email": None, "at": at})
    furnished.visitor.go(f"{BASE}/scheduled/{made['scheduled']}")
    return Scheduled(Studio(furnished.visitor, SLUG))


def _scheduled_cancelled(furnished: Furnished) -> None:
    waits = _scheduled(furnished, "What never came", 9 * 24 * 3600)
    waits.cancel()
    waits.stands("cancelled")


def _scheduled_failed(furnished: Furnished) -> None:
    """By its time another post stands at its address."""
    waits = _scheduled(furnished, "Twice the same", 100)
    other = furnished.post("Twice the same")
    furnished.api.post(f"/posts/{other}/publish", {"site": True, "email": None})
    furnished.godwit.drain(ahead=200)
    waits.stands("failed")


def _version_restored(furnished: Furnished) -> None:
    """In a publication of its own, since the site becomes what it was."""
    made = furnished.godwit.an_account()
    for title in ("First light", "Second light"):
        post = made.api.post("/posts", {"title": title, "markdown": "The first words."})["id"]
        made.api.post(f"/posts/{post}/publish", {"site": True, "email": None})
    furnished.guest.sign_in(made.email)
    versions = Versions(Studio(furnished.guest, made.slug))
    versions.studio.open("releases/1")
    versions.restore(1)


_SITUATIONS: dict[str, Callable[[Furnished], Any]] = {
    "publish-by-mail": _publish_by_mail,
    "publish-both": _publish_both,
    "publish-again": _published_already,
    "publish-stopped": _publish_stopped,
    "publish-refused": _publish_refused,
    "editor-mail": _editor_mail,
    "editor-details": _editor_details,
    "editor-cards": _editor_cards,
    "editor-conflict": _conflict,
    "version-changed": _version_changed,
    "scheduled-cancelled": _scheduled_cancelled,
    "scheduled-failed": _scheduled_failed,
}


@pytest.mark.parametrize("situation", _SITUATIONS)
def test_situation(furnished: Furnished, situation: str) -> None:
    """After something was done on it."""
    _SITUATIONS[situation](furnished)
    assert not look_at(furnished.visitor.page, situation)


def test_a_version_that_was_brought_back(furnished: Furnished) -> None:
    """After the press."""
    _version_restored(furnished)
    assert not look_at(furnished.guest.page, "version-restored")
