"""What every answer carries beside its content."""

from litestar.datastructures import MutableScopeHeaders

#: Nothing runs, loads or frames that is not ours; a page that shows a frame or forbids more says so itself.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)

_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Content-Security-Policy": POLICY,
}


def dress(headers: MutableScopeHeaders, request_id: str, *, private: bool, secure: bool) -> None:
    """Add what the answer does not say itself. `private`: pages of the studio are nobody else's."""
    headers["X-Request-Id"] = request_id
    kind = headers.get("Content-Type", "")
    if kind.count("charset=") > 1:  # the framework adds one to a type that names its own
        headers["Content-Type"] = kind.rpartition(";")[0]
    for name, value in _ALWAYS.items():
        headers.setdefault(name, value)
    if private:
        headers.setdefault("Cache-Control", "private, no-cache")
    if secure:
        headers.setdefault("Strict-Transport-Security", "max-age=31536000")
        headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
