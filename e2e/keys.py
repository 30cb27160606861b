"""Going through a page with a keyboard alone; each stop must show that it has the focus."""

from playwright.sync_api import Page

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


def tab_to(page: Page, name: str, *, back: bool = False) -> None:
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
