"""What every answer carries beside its content."""

from litestar.types import HTTPResponseStartEvent

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
_SECURE = {
    "Strict-Transport-Security": "max-age=31536000",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def common(*, secure: bool) -> tuple[tuple[bytes, bytes], ...]:
    """What every answer carries, as ASGI sends it, for answers that are kept whole."""
    told = _ALWAYS | (_SECURE if secure else {})
    return tuple((name.lower().encode(), value.encode()) for name, value in told.items())


def dress(message: HTTPResponseStartEvent, request_id: str, *, private: bool, secure: bool) -> None:
    """Add what the answer does not say itself. `private`: pages of the studio are nobody else's."""
    carried = [pair if pair[0] != b"content-type" else _one_charset(pair) for pair in message["headers"]]
    said = {name.lower() for name, _ in carried}
    wanted = _COMMON_SECURE if secure else _COMMON
    carried += [pair for pair in wanted if pair[0] not in said]
    if private and b"cache-control" not in said:
        carried.append((b"cache-control", b"private, no-cache"))
    if b"x-request-id" in said:
        carried = [pair for pair in carried if pair[0].lower() != b"x-request-id"]
    message["headers"] = [*carried, (b"x-request-id", request_id.encode())]


def _one_charset(pair: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """The framework adds a charset also to a type that names its own."""
    name, kind = pair
    return (name, kind.rpartition(b";")[0]) if kind.count(b"charset=") > 1 else pair


_COMMON, _COMMON_SECURE = common(secure=False), common(secure=True)
