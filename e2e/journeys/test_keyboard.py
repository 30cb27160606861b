"""The main path with a keyboard alone."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from e2e.pages.posts import Editor, Publish
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Godwit

MOST_TABS = 60
#: Whether what has the focus can be seen to have it: an outline, or a shadow or border in its place.
_SHOWN = """
() => {
  const one = document.activeElement;
  if (!one || one === document.body) return "nothing has the focus";
  const shown = (element) => {
    const style = getComputedStyle(element);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
  };
  const box = one.getBoundingClientRect(), what = one.outerHTML.slice(0, 120);
  if (!shown(one) && !shown(one.parentElement)) return `no outline on ${what}`;
  return box.width < 1 || box.height < 1 || box.bottom < 0 || box.right < 0 ? `not to be seen: ${what}` : "";
}
"""
_NAME = """
() => {
  const one = document.activeElement;
  return (one.getAttribute("aria-label") || one.labels?.[0]?.innerText || one.innerText || "").trim();
}
"""


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
    _tab_to(page, "Write")
    page.keyboard.press("Enter")
    studio.visitor.ready()
    _tab_to(page, "Title")
    page.keyboard.type("No mouse was moved")
    page.keyboard.press("Enter")
    editor = Editor(studio)
    expect(editor.text).to_be_focused()
    page.keyboard.type("Only keys.")
    page.keyboard.press("ControlOrMeta+s")
    editor.saved()
    _tab_to(page, "Save and publish…", back=True)
    page.keyboard.press("Enter")
    page.wait_for_url("**/publish")
    studio.visitor.ready()
    _tab_to(page, "To the site")
    page.keyboard.press("Space")
    _tab_to(page, "Publish")
    expect(Publish(studio).button().first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/releases/1")
    expect(studio.visitor.heading()).to_contain_text("Published version 1 is live")


def _tab_to(page: Page, name: str, *, back: bool = False) -> None:
    """Tab until the focus is on what has this name; each stop on the way must show it."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Shift+Tab" if back else "Tab")
        if page.evaluate("document.activeElement === document.body"):
            continue
        problem = page.evaluate(_SHOWN)
        assert not problem, problem
        if page.evaluate(_NAME) == name:
            return
    raise AssertionError(f"no way to {name!r} by keyboard")
