"""API keys: `gdw_` and a secret, shown once, kept as a keyed hash with its last letters as a hint.

A key that is used lies under the newest of GODWIT_SECRET_KEYS from then on, so that an old one can go.
"""

from uuid import UUID

from app.accounts.queries import KeyLine, account_named
from app.accounts.sign_up import check_name
from app.base import ids, tokens
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, NotFound, Problem
from app.base.fields import scrub

PREFIX = "gdw_"
_PURPOSE = "api-key"
_INSERT = """
insert into api_key (account_id, id, name, key_hash, hint) values (:account, :id, :name, :hash, :hint)
on conflict (account_id, id) do nothing
"""
_LIVE = "select count(*) from api_key where account_id = :account and revoked_at is null"
_ONE = """
select id, name, hint, created_at, used_at from api_key
where account_id = :account and id = :id and revoked_at is null
"""
_REVOKE = """
update api_key set revoked_at = godwit_now() where account_id = :account and id = :id and revoked_at is null
returning name
"""
_USED = """
update api_key set used_at = godwit_now(), key_hash = :newest where account_id = :account and id = :id
  and (used_at is null or used_at < godwit_now() - interval '1 minute' or key_hash <> :newest)
"""
#: Live keys that an account may have: a list that a person can still look over.
MOST = 100


async def create_api_key(tx: Tx, *, slug: str, name: str) -> str:
    """Make a key of the account `slug` and answer it, this once; the transaction is within it afterwards.

    Raises NotFound for an unknown account, Invalid for a name that cannot be kept.
    """
    account = await account_named(tx, slug if scrub(slug) == slug else "")
    if account is None:
        raise NotFound(f"There is no account {slug!r}. See them all: godwit account list")
    await tx.enter_account(account)
    return await make_key(tx, ids.new(), name)


async def make_key(tx: Tx, key_id: UUID, name: str) -> str:
    """Make a key of the transaction's account under an id that the caller chose; answers it, this once.

    Raises Invalid for a name that cannot be kept, Conflict when that id has a key: it was shown already.
    """
    problems = check_name(name.strip(), "name", "Say what the key is for.")
    if not problems and await tx.value(_LIVE, account=tx.account_id) >= MOST:
        problems = [
            Problem("name", f"There are {MOST} keys, which is the most. Revoke one that is not used.")
        ]
    if problems:
        raise Invalid(problems)
    key = PREFIX + tokens.new_secret()
    made = await tx.execute(
        _INSERT,
        account=tx.account_id,
        id=key_id,
        name=name.strip(),
        hash=tokens.keyed_hash(_PURPOSE, key),
        hint=key[-4:],
    )
    if not made:
        raise Conflict(
            "This key was made and shown already. It is not shown again; make another if you need."
        )
    return key


async def live_key(tx: Tx, key_id: UUID) -> KeyLine:
    """A key that works, as it can still be shown. Raises NotFound."""
    row = await tx.row(_ONE, account=tx.account_id, id=key_id)
    if row is None:
        raise NotFound("There is no such key, or it was revoked.")
    return KeyLine(*row)


async def revoke_key(tx: Tx, key_id: UUID) -> str:
    """Nobody gets in with it from the commit on; answers its name. Raises NotFound when nobody did anyway."""
    name = await tx.value(_REVOKE, account=tx.account_id, id=key_id)
    if name is None:
        raise NotFound("There is no such key, or it was revoked.")
    return name


async def note_use(tx: Tx, key_id: UUID, key: str) -> None:
    """The key was used: written once a minute, and when it lies under an old secret of ours."""
    await tx.execute(_USED, account=tx.account_id, id=key_id, newest=tokens.keyed_hash(_PURPOSE, key))


def key_hashes(key: str) -> list[bytes]:
    """What to look for when a program brings this key."""
    return tokens.keyed_hashes(_PURPOSE, key)
