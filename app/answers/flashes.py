"""One sentence shown once after a redirect, carried by a signed cookie that lives a minute."""

import base64
import hmac
from dataclasses import dataclass
from typing import Literal, cast, get_args

from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie

from app.answers.cookies import own_cookie
from app.base.tokens import keyed_hash, keyed_hashes

COOKIE = "godwit_flash"
_SECONDS = 60
_TAKEN = "godwit.flash_taken"
_LONGEST = 2000

Kind = Literal["ok", "info", "warn", "bad"]


@dataclass(frozen=True)
class Flash:
    """What was just done, as a sentence."""

    kind: Kind
    text: str


def flash_cookie(flash: Flash) -> Cookie:
    """The cookie that carries a flash to the next page."""
    body = f"{flash.kind}\n{flash.text}"[:_LONGEST]
    value = f"{_b64(body.encode())}.{_b64(keyed_hash('flash', body)[:16])}"
    return own_cookie(COOKIE, value, _SECONDS)


def take_flash(request: ASGIConnection) -> Flash | None:
    """The flash that came with this request, if it is ours. Its cookie goes with the answer."""
    given = request.cookies.get(COOKIE)
    if not given:
        return None
    request.scope[_TAKEN] = True  # type: ignore[literal-required] - a key of ours
    body, _, mac = given.partition(".")
    try:
        text = _unb64(body).decode()
        sent = _unb64(mac)
    except ValueError:
        return None
    kind, _, words = text.partition("\n")
    if kind not in get_args(Kind):
        return None
    if not any(hmac.compare_digest(known[:16], sent) for known in keyed_hashes("flash", text)):
        return None
    return Flash(cast(Kind, kind), words)


def forget_flash(scope: object) -> str | None:
    """The Set-Cookie that ends a flash which this request showed, else None."""
    if not cast("dict[str, object]", scope).get(_TAKEN):
        return None
    return own_cookie(COOKIE, "", 0).to_header(header="")


def _b64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
