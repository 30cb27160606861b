"""What a reader sees of themselves on a site: subscribe, confirm, sign in, their own page."""

from playwright.sync_api import Locator

from e2e.pages.site import Site


class Subscribing:
    """The form, and the page behind the mailed link."""

    def __init__(self, site: Site) -> None:
        self.site, self.visitor = site, site.visitor

    def open(self) -> None:
        """By the site's own link."""
        self.site.open()
        self.visitor.follow("Subscribe")

    def ask(self, email: str, name: str = "") -> None:
        """Fill the form and press."""
        self.visitor.fill("Your email address", email)
        self.visitor.fill("Your name", name)
        self.visitor.press("Subscribe")
        self.visitor.ready()

    def confirm(self, link: str) -> None:
        """Open the mailed link and press its button."""
        self.visitor.go(link)
        self.visitor.press("Yes, subscribe me")
        self.visitor.ready()


class OwnPage:
    """Signing in, and what one gets."""

    def __init__(self, site: Site) -> None:
        self.site, self.visitor = site, site.visitor

    def ask_code(self, email: str) -> None:
        """By the site's own link; who is not signed in is asked for the address."""
        self.site.open()
        self.visitor.follow("Sign in")
        self.visitor.fill("Your email address", email)
        self.visitor.press("Send me a code")
        self.visitor.ready()

    def enter(self, code: str) -> None:
        """Type the six digits."""
        self.visitor.fill("The six digits", code)
        self.visitor.press("Sign in")
        self.visitor.ready()

    def newsletter(self, name: str) -> Locator:
        """Its tick."""
        return self.visitor.page.get_by_role("checkbox", name=name, exact=True)

    def save(self) -> None:
        """Save what is ticked."""
        self.visitor.press("Save what you get")
        self.visitor.ready()

    def erase(self, address: str) -> None:
        """Type the address, press."""
        self.visitor.fill("Type your address to erase it", address)
        self.visitor.press("Erase me for good")
        self.visitor.ready()
