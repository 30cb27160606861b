"""Sessions of creators: a row each, found by the keyed hash of a random token in a cookie.

A session lives thirty days from its last use, by the database's clock; the cookie outlives it,
so that no answer to a GET ever has to set one.
"""

from uuid import UUID

from litestar.datastructures import Cookie

from app.answers import own_cookie
from app.base import tokens
from app.base.database import Tx
from app.base.settings import settings

DAYS = 30
_PURPOSE = "session"
_COOKIE_SECONDS = 400 * 86400  # the longest that browsers keep one

_START = """
insert into creator_session (token_hash, creator_id, expires_at)
values (:hash, :creator, godwit_now() + make_interval(days => :days))
"""
_SLIDE = """
update creator_session set seen_at = godwit_now(), expires_at = godwit_now() + make_interval(days => :days)
where token_hash = any(:hashes) and expires_at > godwit_now() and seen_at < godwit_now() - interval '1 hour'
"""
_END = "delete from creator_session where token_hash = any(:hashes)"
_FORGET_OLD = "delete from creator_session where creator_id = :creator and expires_at < godwit_now()"


def cookie_name() -> str:
    """The cookie's name; over https one that browsers bind to this very host."""
    return "__Host-godwit" if settings().is_https else "godwit_session"


async def start_session(tx: Tx, creator_id: UUID) -> str:
    """Begin a session and answer its token, which is kept nowhere."""
    token = tokens.new_secret()
    await tx.execute(_FORGET_OLD, creator=creator_id)
    await tx.execute(_START, hash=tokens.keyed_hash(_PURPOSE, token), creator=creator_id, days=DAYS)
    return token


async def end_session(tx: Tx, token: str) -> None:
    """End the session of this token, if there is one."""
    await tx.execute(_END, hashes=token_hashes(token))


async def slide_session(tx: Tx, token: str) -> None:
    """Used again: thirty days from now; written once an hour at most."""
    await tx.execute(_SLIDE, hashes=token_hashes(token), days=DAYS)


def token_hashes(token: str) -> list[bytes]:
    """What to look for when a browser brings this token."""
    return tokens.keyed_hashes(_PURPOSE, token)


def session_cookie(token: str) -> Cookie:
    """The cookie for a new session."""
    return own_cookie(cookie_name(), token, _COOKIE_SECONDS)


def no_session_cookie() -> Cookie:
    """The cookie that takes the session's away."""
    return own_cookie(cookie_name(), "", 0)
