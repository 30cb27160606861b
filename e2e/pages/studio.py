"""The studio's frame and its first page."""

from playwright.sync_api import Locator

from e2e.pages.visitor import Visitor


class Studio:
    """One publication's studio."""

    def __init__(self, visitor: Visitor, slug: str) -> None:
        self.visitor, self.slug = visitor, slug
        self.base = f"/studio/{slug}"

    def open(self, place: str = "") -> None:
        """Open a place by its address, such as `readers`."""
        self.visitor.go(f"{self.base}/{place}".rstrip("/"))

    def to(self, place: str) -> None:
        """Go to a place by the navigation's word, such as `Readers`."""
        navigation = self.visitor.page.get_by_role("navigation", name="Studio")
        navigation.get_by_role("link", name=place, exact=True).first.click()
        self.visitor.ready()

    def sentence(self) -> Locator:
        """What the home page says is going on."""
        return self.visitor.heading()

    def sign_out(self) -> None:
        """Leave."""
        self.visitor.press("Sign out")
        self.visitor.ready()
