"""What readers see: the site, its feed, the page that unsubscribes."""

import xml.etree.ElementTree as ElementTree

from e2e.pages.visitor import Visitor


class Site:
    """One publication's site."""

    def __init__(self, visitor: Visitor, slug: str) -> None:
        self.visitor, self.slug = visitor, slug
        self.url = visitor.godwit.site(slug)

    def open(self, path: str = "/") -> None:
        """One of its pages."""
        self.visitor.go(self.url + path)

    def read(self, path: str) -> str:
        """What stands at an address for this visitor, as a program that has their cookies reads it."""
        kept = self.visitor.page.context.cookies(self.url)
        cookie = "; ".join(f"{one.get('name')}={one.get('value')}" for one in kept)
        return self.visitor.godwit.ask(self.url + path, cookie=cookie).decode()

    def feed(self) -> list[str]:
        """The titles in its feed, newest first."""
        root = ElementTree.fromstring(self.visitor.godwit.ask(self.url + "/feed.xml"))
        return [item.findtext("title") or "" for item in root.iter("item")]


class Unsubscribe:
    """The page behind a mail's unsubscribe link."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor

    def open(self, link: str) -> None:
        """Follow the link. This alone changes nothing."""
        self.visitor.go(link)

    def press(self) -> None:
        """The button."""
        self.visitor.press("Unsubscribe")
        self.visitor.ready()
