"""Looking at a page as a person with a phone or a desk would, by day and by night."""

from pathlib import Path

from playwright.sync_api import Page

E2E = Path(__file__).parent
SHOTS = E2E / ".shots"
WIDTHS = {390: 844, 1280: 900}
SCHEMES = ("light", "dark")
TALLEST = 2600
_AXE = (E2E / "vendor" / "axe.min.js").read_text()
_SERIOUS = """
async () => {
  const found = await axe.run(document, { resultTypes: ["violations"], iframes: false });
  const told = (node) => `${node.html.slice(0, 160)}: ${node.failureSummary}`;
  return found.violations.filter((one) => ["serious", "critical"].includes(one.impact))
    .map((one) => `${one.id} (${one.impact}): ${one.nodes.map(told).join(" | ")}`);
}
"""
_SIDEWAYS = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
_WIDEST = """
() => [...document.querySelectorAll("body *")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => one.outerHTML.slice(0, 120)).slice(0, 3).join(" | ")
"""


def look_at(page: Page, name: str) -> list[str]:
    """Photograph the page as it stands in each width and scheme into e2e/.shots/; answers what is wrong.

    Wrong is what axe calls serious or critical, and what scrolls sideways. The page's context bypasses
    the content policy, since axe is no script of ours.
    """
    SHOTS.mkdir(exist_ok=True)
    wrong: list[str] = []
    page.evaluate(_AXE)
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            where = f"{name} at {width} in {scheme}"
            if page.evaluate(_SIDEWAYS) > 0:
                wrong.append(f"{where} scrolls sideways: {page.evaluate(_WIDEST)}")
            wrong += [f"{where}: {words}" for words in page.evaluate(_SERIOUS)]
            _photograph(page, SHOTS / f"{name}-{width}-{scheme}.png", width)
    page.set_viewport_size({"width": 1280, "height": 900})
    return wrong


def _photograph(page: Page, file: Path, width: int) -> None:
    page.evaluate("scrollTo(0, 0)")
    tall = min(TALLEST, page.evaluate("document.scrollingElement.scrollHeight"))
    clip = {"x": 0, "y": 0, "width": width, "height": tall}
    page.screenshot(path=file, clip=clip, full_page=True, animations="disabled")  # pyright: ignore[reportArgumentType]
