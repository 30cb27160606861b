"""API keys: `gdw_` and a secret, shown once, kept as a keyed hash with its last letters as a hint."""

from app.accounts.queries import account_named
from app.accounts.sign_up import check_name
from app.base import ids, tokens
from app.base.database import Tx
from app.base.errors import Invalid, NotFound
from app.base.fields import scrub

PREFIX = "gdw_"
_PURPOSE = "api-key"
_INSERT = """
insert into api_key (account_id, id, name, key_hash, hint) values (:account, :id, :name, :hash, :hint)
"""


async def create_api_key(tx: Tx, *, slug: str, name: str) -> str:
    """Make a key of the account `slug` and answer it, this once; the transaction is within it afterwards.

    Raises NotFound for an unknown account, Invalid for a name that cannot be kept.
    """
    account = await account_named(tx, slug if scrub(slug) == slug else "")
    if account is None:
        raise NotFound(f"There is no account {slug!r}. See them all: godwit account list")
    if problems := check_name(name.strip(), "name", "Say what the key is for."):
        raise Invalid(problems)
    await tx.enter_account(account)
    key = PREFIX + tokens.new_secret()
    await tx.execute(
        _INSERT,
        account=account,
        id=ids.new(),
        name=name.strip(),
        hash=tokens.keyed_hash(_PURPOSE, key),
        hint=key[-4:],
    )
    return key


def key_hashes(key: str) -> list[bytes]:
    """What to look for when a program brings this key."""
    return tokens.keyed_hashes(_PURPOSE, key)
