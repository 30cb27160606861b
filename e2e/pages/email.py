"""One email as the studio shows it: going out, and gone."""

from dataclasses import dataclass

from playwright.sync_api import Locator, expect

from e2e.pages.studio import Studio

SENT_MS = 90_000
PARTS = ("sent", "skipped", "failed", "unknown", "waiting")
#: One look at all figures at once, so that no repaint comes between them; kept as they change.
_COLLECT = """
(region) => {
  const around = region.parentElement;
  const look = () => {
    const now = around.querySelector("[data-version]"), values = {};
    for (const { dataset } of now.querySelectorAll("[data-figure]")) {
      values[dataset.figure] = Number(dataset.value);
    }
    window.seen.push({ state: now.dataset.state, values });
  };
  window.seen = [];
  look();
  const all = { subtree: true, attributes: true, childList: true };
  new MutationObserver(look).observe(around, all);
}
"""


@dataclass(frozen=True)
class Seen:
    """The figures of one moment."""

    state: str
    values: dict[str, int]

    @property
    def adds_up(self) -> bool:
        """Whether the parts make the audience."""
        return sum(self.values[part] for part in PARTS) == self.values["audience"]


class Email:
    """One email's page."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.visitor = studio, studio.visitor
        self.page = studio.visitor.page

    def progress(self) -> Locator:
        """The live region."""
        return self.page.get_by_role("region", name="How far it is")

    def observe(self) -> None:
        """Write down each change of the figures from now on (with scripts only)."""
        self.progress().evaluate(_COLLECT)

    def observed(self) -> list[Seen]:
        """What was written down."""
        return [Seen(one["state"], one["values"]) for one in self.page.evaluate("window.seen")]

    def figures(self) -> Seen:
        """The figures of now."""
        names = ("audience", *PARTS)
        state = self.progress().get_attribute("data-state") or ""
        return Seen(state, {name: self.visitor.figure(name) for name in names})

    def finished(self) -> Seen:
        """Wait, without loading the page again, until it is out and the books agree."""
        expect(self.progress()).to_have_attribute("data-state", "finished", timeout=SENT_MS)
        expect(self.progress().get_by_text("Balanced")).to_be_visible()
        return self.figures()

    def sentence(self) -> Locator:
        """What is going on, and why."""
        return self.page.locator("#progress-sentence")

    def ask_the_provider(self) -> Locator:
        """The button that has a provider that refuses us asked now."""
        return self.page.get_by_role("button", name="Ask the provider now", exact=True)

    def said(self) -> Locator:
        """What was said to the last press."""
        return self.page.locator("#acted")
