"""A reader signs in by six digits, or by the link beside them (R9, R10).

The digits work in the browser that asked for them, which a cookie tells apart, so that a stranger who asks
for the same address guesses at codes of their own and spends no try of the reader's. The link works anywhere.
Whoever asks from one network too often for one address is refused. Over all networks an address is mailed
CODES_AT_ONCE codes at once and then one in MINUTES: who asks in between is told the same and mailed nothing,
and the link mailed last still works. So nobody locks a reader out.

What a person is told never depends on whether anybody reads here under the address: the tries they have
left are counted by address (limits), for known and unknown ones alike. The rows of reader_code decide who
gets in, and keep their own count.
"""

from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from app.accounts import Account
from app.base import ids, tokens
from app.base.database import Tx
from app.base.settings import settings
from app.limits import allow, grant_tries, hashed_name, refuse_over, take_try
from app.messages import ReaderCode, finish, queue_message
from app.readers.letters import signature
from app.switches import switches_of

MINUTES = 10
TRIES = 5
#: From one network for one address.
CODES_A_DAY, TRIES_A_DAY = 10, 30
#: To one address, whoever asks.
CODES_AT_ONCE = 10
ASKS_AN_HOUR = 60
_DAY = 86400

_READER = "select id from reader where email = :email"
_FORGET_OLD = "delete from reader_code where expires_at < godwit_now()"
_ISSUE = """
insert into reader_code (account_id, id, reader_id, code_hash, token_hash, asker_hash, expires_at)
values (:account, :id, :reader, :code, :token, :asker, godwit_now() + make_interval(mins => :minutes))
"""
_ENDS = "select godwit_now() + make_interval(mins => :minutes)"
_TRY = """
update reader_code set tries = tries + 1,
    spent_at = case when code_hash = any (:hashes) then godwit_now() end
where id = any (array(
    select id from reader_code
    where reader_id = (select id from reader where email = :email)
      and (asker_hash is null or asker_hash = any (:askers))
      and spent_at is null and tries < :tries and expires_at > godwit_now()
    order by id for update))
  and spent_at is null and tries < :tries and expires_at > godwit_now()
returning reader_id, spent_at is not null as is_right
"""
_BY_LINK = """
update reader_code set spent_at = godwit_now()
where token_hash = any (:hashes) and spent_at is null and expires_at > godwit_now()
returning reader_id, asker_hash
"""
_LINK = """
select r.email from reader_code c join reader r on r.account_id = c.account_id and r.id = c.reader_id
where c.token_hash = any (:hashes) and c.spent_at is null and c.expires_at > godwit_now()
"""
_FORGET = "delete from reader_code where reader_id = :reader"


@dataclass(frozen=True)
class WrongCode:
    """Nobody was let in; `left` tries remain (0: the code is dead, or there is none)."""

    left: int


@dataclass(frozen=True)
class Asker:
    """Who asks for a code or tries one: the network they come from, and the cookie of their browser."""

    network: str
    browser: str

    @property
    def hash(self) -> bytes:
        """As the browser is kept."""
        return tokens.keyed_hash("reader-asker", self.browser)


async def ask_for_code(tx: Tx, account: Account, email: str, asker: Asker, next: str = "") -> None:
    """Mail a code to the reader of this canonical address; nothing tells whether there is one.

    While all mail is stopped none is mailed. `next` is where the link's page leads on. Raises TooMany.
    """
    await refuse_over(tx, _name(tx, "from", asker.network), ASKS_AN_HOUR, 3600, "hour")
    await refuse_over(tx, _name(tx, "codes", f"{asker.network} {email}"), CODES_A_DAY, _DAY, "day")
    code, token = tokens.new_code(), tokens.new_secret()
    await grant_tries(tx, _tries(tx, asker.hash, email), TRIES)
    enough = await _mailed_enough(tx, email)
    await tx.execute(_FORGET_OLD)
    reader_id: UUID | None = await tx.value(_READER, email=email)
    if reader_id is not None and not enough:
        hashes = {
            "code": tokens.keyed_hash("reader-code", f"{email}:{code}"),
            "token": tokens.keyed_hash("reader-link", token),
            "asker": asker.hash,
        }
        whose = {"account": tx.account_id, "reader": reader_id}
        await tx.execute(_ISSUE, **whose, **hashes, id=ids.new(), minutes=MINUTES)
    message = ReaderCode(
        **signature(account, email),
        code=code,
        minutes=MINUTES,
        link=f"{account.site_url}/sign-in/{token}" + (f"?{urlencode({'next': next})}" if next else ""),
        expires_at=await tx.value(_ENDS, minutes=MINUTES),
    )
    if reader_id is None or enough or (await switches_of(tx)).reader_codes_stopped:
        finish(message)  # costs the same time, goes nowhere
    else:
        await queue_message(tx, message)


async def _mailed_enough(tx: Tx, email: str) -> bool:
    """Whether so many codes went to an address that the last is younger than MINUTES, and works still."""
    if settings().limits_off:
        return False
    return bool(await allow(tx, _name(tx, "mailed", email), 1 / (60 * MINUTES), CODES_AT_ONCE))


async def try_code(tx: Tx, email: str, code: str, asker: Asker) -> UUID | WrongCode:
    """Which reader is let in, if any. Spends the code, or one of its tries: commit either way.

    Raises TooMany past a limit, which a new code does not lift.
    """
    await refuse_over(tx, _name(tx, "from", asker.network), ASKS_AN_HOUR, 3600, "hour")
    await refuse_over(tx, _name(tx, "tries", f"{asker.network} {email}"), TRIES_A_DAY, _DAY, "day")
    left = await take_try(tx, _tries(tx, asker.hash, email), within=60 * MINUTES)
    hashes = tokens.keyed_hashes("reader-code", f"{email}:{code}")
    askers = tokens.keyed_hashes("reader-asker", asker.browser)
    tried = await tx.rows(_TRY, hashes=hashes, askers=askers, email=email, tries=TRIES)
    right = next((row.reader_id for row in tried if row.is_right), None)
    if left is None or right is None:
        return WrongCode(left or 0)
    await _used(tx, right, email, asker.hash)
    return right


async def address_of_link(tx: Tx, token: str) -> str | None:
    """Whom a link would let in; None when it is over, or not ours. Changes nothing."""
    return await tx.value(_LINK, hashes=tokens.keyed_hashes("reader-link", token))


async def use_link(tx: Tx, token: str) -> UUID | None:
    """Let in whoever has the link: once, and its code is over with it."""
    email = await address_of_link(tx, token)
    row = await tx.row(_BY_LINK, hashes=tokens.keyed_hashes("reader-link", token))
    if row is None:
        return None
    await _used(tx, row.reader_id, email or "", row.asker_hash)
    return row.reader_id


async def _used(tx: Tx, reader_id: UUID, email: str, asker: bytes | None) -> None:
    """Used once: no other code that was asked for stays open either; so the next one is mailed at once."""
    await tx.execute(_FORGET, reader=reader_id)
    if asker is not None:
        await grant_tries(tx, _tries(tx, asker, email), 0)
    await grant_tries(tx, _name(tx, "mailed", email), CODES_AT_ONCE)


def _tries(tx: Tx, asker: bytes, email: str) -> str:
    """The tries of one browser at one address: counted for known and unknown addresses alike."""
    return _name(tx, "code", f"{asker.hex()} {email}")


def _name(tx: Tx, what: str, text: str) -> str:
    return f"reader:{what}:{tx.account_id}:{hashed_name(text)}"
