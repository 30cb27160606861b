"""The short way to a page that is kept: no framework, no look-up, one pass over the headers.

What is not kept, was not looked at just now, brings a reader's cookie or asks for more than a plain address
goes the long way, which makes the page and keeps it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from app.readers import READER_COOKIE
from app.site.caching import Raw, Rendered, holds
from app.site.editions import Editions

_COOKIE = READER_COOKIE.encode() + b"="


@dataclass(frozen=True)
class Recalled:
    """An answer ready to be sent: status, its own headers, body."""

    status: int
    headers: Raw
    body: bytes


def recall(
    editions: Editions,
    slug: str,
    method: str,
    path: str,
    query: bytes,
    headers: Iterable[tuple[bytes, bytes]],
) -> Recalled | None:
    """The kept answer to this request on the site of `slug`, or None."""
    if query or method not in ("GET", "HEAD"):
        return None
    edition = editions.fresh(slug)
    page = editions.recall(edition, (path, "")) if edition is not None else None
    if page is None:
        return None
    known = ""
    for name, value in headers:
        if name == b"cookie" and _COOKIE in value:
            return None
        if name == b"if-none-match":
            known = value.decode("latin-1")
    return _answer(page, known, head=method == "HEAD")


def _answer(page: Rendered, known: str, *, head: bool) -> Recalled:
    if known and holds(known, page.etag):
        return Recalled(304, page.raw_unchanged, b"")
    return Recalled(200, page.raw, b"" if head else page.body)
