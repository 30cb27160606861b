"""Signing in by a six-digit code (promises 1 and 2).

What a person is told never depends on whether anybody signs in with the address: the tries
they have left are counted by address (limits), for known and unknown ones alike. The rows of
creator_code decide who gets in, and keep their own count.
"""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from app.accounts.queries import Creator, creator_with
from app.base import ids, tokens
from app.base.addresses import canonical
from app.base.database import Tx
from app.base.settings import settings
from app.limits import grant_tries, hashed_name, refuse_over, take_try
from app.messages import SignInCode, finish, queue_message
from app.switches import switches_of

MINUTES = 10
TRIES = 5
CODES_A_DAY = 10
TRIES_A_DAY = 30
ASKS_AN_HOUR = 60
_DAY = 86400

_ISSUE = """
insert into creator_code (id, creator_id, code_hash, expires_at)
values (:id, :creator, :hash, godwit_now() + make_interval(mins => :minutes)) returning expires_at
"""
_TRY = """
update creator_code set tries = tries + 1,
    spent_at = case when code_hash = any(:hashes) then godwit_now() end
where id = any (array(
    select id from creator_code
    where creator_id = (select id from creator where email = :email)
      and spent_at is null and tries < :tries and expires_at > godwit_now()
    order by id for update))
  and spent_at is null and tries < :tries and expires_at > godwit_now()
returning spent_at is not null as right
"""
_FORGET = "delete from creator_code where creator_id = :creator"
_FORGET_OLD = "delete from creator_code where creator_id = :creator and expires_at < godwit_now()"


@dataclass(frozen=True)
class IssuedCode:
    """A code in the clear, for a mail or an operator's terminal, and until when it works."""

    code: str
    expires_at: datetime


@dataclass(frozen=True)
class WrongCode:
    """Nobody was let in; `left` tries remain (0: the code is dead, or there is none)."""

    left: int


async def ask_for_code(tx: Tx, email: str, came_from: str) -> None:
    """Mail a code to whoever signs in with this canonical address; nothing tells whether anybody does.

    While all mail is stopped none is mailed, to anybody: an operator prints one (M2).

    `came_from` is the network address of who asks. Raises TooMany past a limit.
    """
    await refuse_over(tx, f"sign-in:from:{hashed_name(came_from)}", ASKS_AN_HOUR, 3600, "hour")
    await refuse_over(tx, f"sign-in:codes:{hashed_name(email)}", CODES_A_DAY, _DAY, "day")
    creator = await creator_with(tx, email)
    issued = await _issued(tx, email, creator)
    where = f"{settings().base_url}/sign-in/code?{urlencode({'email': email, 'code': issued.code})}"
    message = SignInCode(email, issued.code, MINUTES, where, issued.expires_at)
    paused = (await switches_of(tx)).codes_stopped
    if creator is None or paused:
        finish(message)  # costs the same time, goes nowhere
    else:
        await queue_message(tx, message)


async def issue_code(tx: Tx, email: str) -> IssuedCode | None:
    """A code for an operator to read out, past every limit; None when nobody signs in with the address.

    Raises AddressError for what is no address.
    """
    address = canonical(email)
    creator = await creator_with(tx, address)
    return await _issued(tx, address, creator) if creator else None


async def try_code(tx: Tx, email: str, code: str, came_from: str) -> Creator | WrongCode:
    """Who is let in by this code, if anybody. Spends the code, or one of its tries: commit either way.

    Raises TooMany past a limit.
    """
    await refuse_over(tx, f"sign-in:from:{hashed_name(came_from)}", ASKS_AN_HOUR, 3600, "hour")
    await refuse_over(tx, f"sign-in:tries:{hashed_name(email)}", TRIES_A_DAY, _DAY, "day")
    left = await take_try(tx, f"sign-in:code:{hashed_name(email)}", within=60 * MINUTES)
    hashes = tokens.keyed_hashes("creator-code", f"{email}:{code}")
    tried = await tx.rows(_TRY, hashes=hashes, email=email, tries=TRIES)
    creator = await creator_with(tx, email)
    if left is None or creator is None or not any(row.right for row in tried):
        return WrongCode(left or 0)
    # Used once: no other code that was asked for stays open either, nor does the count of tries.
    await tx.execute(_FORGET, creator=creator.id)
    await grant_tries(tx, f"sign-in:code:{hashed_name(email)}", 0)
    return creator


async def _issued(tx: Tx, email: str, creator: Creator | None) -> IssuedCode:
    """A new code and five tries; for an unknown address one that opens nothing."""
    code = tokens.new_code()
    await grant_tries(tx, f"sign-in:code:{hashed_name(email)}", TRIES)
    if creator is None:
        expires_at = await tx.value("select godwit_now() + make_interval(mins => :minutes)", minutes=MINUTES)
        return IssuedCode(code, expires_at)
    await tx.execute(_FORGET_OLD, creator=creator.id)
    expires_at = await tx.value(
        _ISSUE,
        id=ids.new(),
        creator=creator.id,
        hash=tokens.keyed_hash("creator-code", f"{email}:{code}"),
        minutes=MINUTES,
    )
    return IssuedCode(code, expires_at)
