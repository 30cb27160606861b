"""Sessions of readers: a row each, found by the keyed hash of a random token in a cookie of the site's host.

One lives thirty days from its last use, reading included, by the database's clock. No GET sets one (R9): the
cookie outlives every session, and what slides is the row.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from litestar.datastructures import Cookie

from app.answers import own_cookie
from app.base import tokens
from app.base.database import Tx

COOKIE = "godwit_reader"
DAYS = 30
_PURPOSE = "reader_session"
_COOKIE_SECONDS = 400 * 86400  # the longest that browsers keep one

_START = """
insert into reader_session (account_id, token_hash, reader_id, expires_at)
values (:account, :hash, :reader, godwit_now() + make_interval(days => :days))
"""
_WHOSE = """
select reader_id, seen_at < godwit_now() - interval '1 day' as due
from reader_session where token_hash = any (:hashes) and expires_at > godwit_now()
"""
_SLIDE = """
update reader_session set seen_at = godwit_now(), expires_at = godwit_now() + make_interval(days => :days)
where token_hash = any (:hashes) and expires_at > godwit_now() and seen_at < godwit_now() - interval '1 day'
"""
_END = "delete from reader_session where token_hash = any (:hashes)"
_FORGET_OLD = "delete from reader_session where expires_at < godwit_now()"


@dataclass(frozen=True)
class ReaderSession:
    """Whose it is, and whether it is `due` to be slid: it was not since a day."""

    reader_id: UUID
    due: bool


async def session_of(tx: Tx, cookies: Mapping[str, str]) -> ReaderSession | None:
    """The session that these cookies bring, if it is one of this account's."""
    token = cookies.get(COOKIE, "")
    row = await tx.row(_WHOSE, hashes=_hashes(token)) if token else None
    return ReaderSession(row.reader_id, row.due) if row else None


async def signed_in(tx: Tx, cookies: Mapping[str, str]) -> UUID | None:
    """The reader whose session these cookies bring."""
    found = await session_of(tx, cookies)
    return found.reader_id if found else None


async def start_session(tx: Tx, reader_id: UUID) -> str:
    """Begin a session and answer its token, which is kept nowhere."""
    token = tokens.new_secret()
    await tx.execute(_FORGET_OLD)
    await tx.execute(
        _START,
        account=tx.account_id,
        hash=tokens.keyed_hash(_PURPOSE, token),
        reader=reader_id,
        days=DAYS,
    )
    return token


async def slide_session(tx: Tx, cookies: Mapping[str, str]) -> None:
    """Used again: thirty days from now; written once a day at most."""
    await tx.execute(_SLIDE, hashes=_hashes(cookies.get(COOKIE, "")), days=DAYS)


async def end_session(tx: Tx, cookies: Mapping[str, str]) -> None:
    """End the session that these cookies bring, if any."""
    await tx.execute(_END, hashes=_hashes(cookies.get(COOKIE, "")))


def reader_cookie(token: str) -> Cookie:
    """The cookie for a new session."""
    return own_cookie(COOKIE, token, _COOKIE_SECONDS)


def no_reader_cookie() -> Cookie:
    """The cookie that takes the session's away."""
    return own_cookie(COOKIE, "", 0)


def _hashes(token: str) -> list[bytes]:
    return tokens.keyed_hashes(_PURPOSE, token)
