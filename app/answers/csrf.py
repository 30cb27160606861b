"""Whether a request that changes something came from a page of our own.

The configured address of the studio (GODWIT_BASE_URL) decides, never a header that a proxy
may set or forget: a proxy that terminates TLS changes what we think we are called by, and
sign-in then fails everywhere at once. The session cookie is SameSite=Lax beside this.

Sites are exempt: they have no session, forms on other people's pages may subscribe, and one
click (RFC 8058) comes from a mail provider's machine without an origin.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

from app.base.settings import Settings

SAFE = ("GET", "HEAD", "OPTIONS")
#: Below these paths programs call, with a key or a secret of their own: a browser sends none by itself.
PROGRAMS = ("/api/", "/hooks/", "/testing/")
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def refusal(method: str, path: str, headers: Mapping[str, str], told: Settings) -> str | None:
    """A sentence when the request is not from the studio's own pages, else None."""
    if method in SAFE or path.startswith(PROGRAMS):
        return None
    origin = headers.get("origin")
    if origin is None:
        if headers.get("sec-fetch-site") == "same-origin":
            return None
        return (
            "This form came without saying which page it stands on. Open the studio and send it from there."
        )
    if _normal(origin) == _normal(told.base_url) or _is_local(origin, headers.get("host", ""), told):
        return None
    if _normal(origin)[0] and urlsplit(origin).netloc.lower() == headers.get("host", "").lower():
        return (
            f"This page was opened at {origin}, but this Godwit is set up to live at {told.base_url}."
            " Open it there. If this is the right address, whoever runs it sets GODWIT_BASE_URL to it"
            " (scheme, host and port as they stand in the browser) and starts it again."
        )
    return f"This form was sent from another site ({origin}). Open {told.base_url} and send it from there."


def _is_local(origin: str, host: str, told: Settings) -> bool:
    """Outside production the studio also answers at this machine's own names."""
    scheme, name, _ = _normal(origin)
    return (
        told.mode != "production"
        and scheme == "http"
        and name in LOOPBACK
        and urlsplit(origin).netloc.lower() == host.lower()
    )


def _normal(origin: str) -> tuple[str, str, int | None]:
    try:
        parts = urlsplit(origin)
        default = {"http": 80, "https": 443}.get(parts.scheme)
        return parts.scheme, (parts.hostname or "").lower(), parts.port or default
    except ValueError:
        return "", origin, None
