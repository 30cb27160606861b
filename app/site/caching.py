"""Answers that caches may keep: a fingerprint, and 304 for who has it already.

Browsers ask each time and mostly hear 304, so that a creator who published sees it at once; a cache in
between may answer for SHARED_SECONDS by itself. No answer of a site sets a cookie.
"""

from hashlib import sha256

from litestar import Response
from litestar.connection import ASGIConnection

SHARED_SECONDS = 10
CACHE_CONTROL = f"public, max-age=0, s-maxage={SHARED_SECONDS}, must-revalidate"


def kept(request: ASGIConnection, body: bytes, media_type: str) -> Response[bytes]:
    """`body` with its ETag, or 304 without a body when the asker holds just this."""
    etag = f'"{sha256(body).hexdigest()[:24]}"'
    headers = {"ETag": etag, "Cache-Control": CACHE_CONTROL}
    if _holds(request.headers.get("if-none-match", ""), etag):
        return Response(b"", status_code=304, headers=headers, media_type=media_type)
    return Response(body, headers=headers, media_type=media_type)


def _holds(given: str, etag: str) -> bool:
    """RFC 9110 13.1.2: a weak comparison, over a list or `*`."""
    return any(part.strip().removeprefix("W/") in (etag, "*") for part in given.split(","))
