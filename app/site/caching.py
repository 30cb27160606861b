"""Answers that caches may keep: a fingerprint, and 304 for who has it already.

Browsers ask each time and mostly hear 304, so that a creator who published sees it at once; a cache in
between may answer for SHARED_SECONDS by itself, to who brings no cookie of ours. What was rendered for a
reader who is signed in is theirs alone, and kept by nobody. No answer of a site's pages sets a cookie.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from litestar import Response
from litestar.connection import ASGIConnection

SHARED_SECONDS = 10
SHARED = f"public, max-age=0, s-maxage={SHARED_SECONDS}, must-revalidate"
PRIVATE = "private, no-cache"
VARY = "Cookie"
Raw = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True)
class Rendered:
    """A rendered answer for everybody who is not signed in, as it is kept."""

    body: bytes
    media_type: str
    etag: str

    @cached_property
    def headers(self) -> dict[str, str]:
        """What it says beside its type and length."""
        return {"ETag": self.etag, "Cache-Control": SHARED, "Vary": VARY}

    @cached_property
    def raw(self) -> Raw:
        """All of its own headers, as ASGI sends them."""
        told = {**self.headers, "Content-Type": self.media_type, "Content-Length": str(len(self.body))}
        return tuple((name.lower().encode(), value.encode()) for name, value in told.items())

    @cached_property
    def raw_unchanged(self) -> Raw:
        """The same of a 304, which has no body."""
        return tuple(one for one in self.raw if one[0] not in (b"content-type", b"content-length"))


def rendered_as(body: bytes, media_type: str) -> Rendered:
    """An answer with its fingerprint."""
    return Rendered(body, media_type, f'"{sha256(body).hexdigest()[:24]}"')


def shared(request: ASGIConnection, page: Rendered) -> Response[bytes]:
    """The page, or 304 without a body when the asker holds just this."""
    if holds(request.headers.get("if-none-match", ""), page.etag):
        return Response(b"", status_code=304, headers=page.headers)
    return Response(page.body, headers=page.headers, media_type=page.media_type)


def private(page: Rendered) -> Response[bytes]:
    """A page for one reader."""
    headers = {"Cache-Control": PRIVATE, "Vary": VARY}
    return Response(page.body, headers=headers, media_type=page.media_type)


def holds(given: str, etag: str) -> bool:
    """RFC 9110 13.1.2: a weak comparison, over a list or `*`."""
    return bool(given) and any(part.strip().removeprefix("W/") in (etag, "*") for part in given.split(","))


def brings(headers: Iterable[tuple[bytes, bytes]], name: str) -> bool:
    """Whether a cookie of this name comes along, in ASGI's raw headers."""
    wanted = name.encode() + b"="
    return any(key == b"cookie" and wanted in value for key, value in headers)
