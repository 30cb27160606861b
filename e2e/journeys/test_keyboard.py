"""The main path with a keyboard alone."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from e2e.keys import tab_to
from e2e.pages.posts import Editor, Publish
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Godwit


@pytest.fixture
def studio(godwit: Godwit, visit: Callable[..., Visitor]) -> Studio:
    """Signed in to a publication of its own."""
    made = godwit.an_account()
    return Studio(visit(godwit, storage_state=made.storage_state), made.slug)


def test_the_first_stop_skips_to_the_page(studio: Studio) -> None:
    """One Tab shows the skip link; Enter puts the focus into the page."""
    page = studio.visitor.page
    studio.open("posts")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the page")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


def test_write_and_publish_with_keys_alone(studio: Studio) -> None:
    """Every stop shows its focus, from the first page to the published version."""
    page = studio.visitor.page
    studio.open()
    tab_to(page, "Write")
    page.keyboard.press("Enter")
    studio.visitor.ready()
    tab_to(page, "Title")
    page.keyboard.type("No mouse was moved")
    page.keyboard.press("Enter")
    editor = Editor(studio)
    expect(editor.text).to_be_focused()
    page.keyboard.type("Only keys.")
    page.keyboard.press("ControlOrMeta+s")
    editor.saved()
    tab_to(page, "Save and publish…", back=True)
    page.keyboard.press("Enter")
    page.wait_for_url("**/publish")
    studio.visitor.ready()
    tab_to(page, "To the site")
    page.keyboard.press("Space")
    tab_to(page, "Publish")
    expect(Publish(studio).button().first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/releases/1")
    expect(studio.visitor.heading()).to_contain_text("Published version 1 is live")
