"""The sitemap (sitemaps.org): every live address, in parts named by an index when there are many; robots.txt.

Parts stand beside the index, since a sitemap may only name what lies below itself.
"""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from app.answers import iso
from app.posts import Address, path_of

ADDRESSES_IN_PART = 5000
XML = "application/xml; charset=utf-8"
PLAIN = "text/plain; charset=utf-8"
_PART = re.compile("|[1-9][0-9]{0,3}")
_SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
#: Pages for one reader, or with a token in their address.
_NOT_FOR_ROBOTS = ("/confirm/", "/mail/", "/me", "/sign-in", "/unsubscribe/")


def part_asked(given: str) -> int | None:
    """Which part an address asks for: 0 for the whole when it names none, None for what no part is called."""
    return int(given or 0) if _PART.fullmatch(given) else None


def urlset(site_url: str, addresses: Sequence[Address], *, first: bool) -> bytes:
    """One part; the first one also names the site's own pages."""
    root = ElementTree.Element("urlset", xmlns=_SPACE)
    for path in ("/", "/archive") if first else ():
        ElementTree.SubElement(ElementTree.SubElement(root, "url"), "loc").text = site_url + path
    for address in addresses:
        url = ElementTree.SubElement(root, "url")
        ElementTree.SubElement(url, "loc").text = site_url + path_of(address.slug)
        ElementTree.SubElement(url, "lastmod").text = iso(address.changed_at)
    return _written(root)


def index(site_url: str, count: int) -> bytes:
    """The parts of a large sitemap."""
    root = ElementTree.Element("sitemapindex", xmlns=_SPACE)
    for part in range(1, -(-count // ADDRESSES_IN_PART) + 1):
        sitemap = ElementTree.SubElement(root, "sitemap")
        ElementTree.SubElement(sitemap, "loc").text = f"{site_url}/sitemap.xml?part={part}"
    return _written(root)


def robots(site_url: str) -> bytes:
    """What robots are asked to leave alone, and where the sitemap is."""
    refused = "".join(f"Disallow: {path}\n" for path in _NOT_FOR_ROBOTS)
    return f"User-agent: *\n{refused}\nSitemap: {site_url}/sitemap.xml\n".encode()


def _written(root: ElementTree.Element) -> bytes:
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
