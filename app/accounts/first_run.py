"""The first run: whoever started Godwit opens its first account, by a token printed in their terminal."""

import hmac

from app.accounts.queries import Account, has_creators
from app.accounts.sign_up import create_account
from app.base import tokens
from app.base.database import Tx
from app.base.errors import Conflict, Forbidden

#: One first run at a time; any number no one else locks.
_LOCK = 7_265_020


def first_run_token() -> str:
    """The token of this installation, until its keys change; it opens nothing once somebody is there."""
    return tokens.keyed_hash("first-run", "").hex()[:40]


async def check_first_run(tx: Tx, token: str) -> None:
    """Raises Conflict when somebody is there already, Forbidden for another token."""
    if await has_creators(tx):
        raise Conflict("This Godwit is set up already. Sign in with the address that was given then.")
    if not hmac.compare_digest(token.encode(), first_run_token().encode()):
        raise Forbidden(
            "This page opens with the address that `godwit up` prints in its terminal."
            " Copy it whole, with its token."
        )


async def open_first_account(
    tx: Tx, token: str, *, email: str, creator_name: str, name: str, slug: str, postal_address: str
) -> Account:
    """Open the first account; its creator is an operator. Raises as `check_first_run`, and Invalid."""
    await tx.value("select pg_advisory_xact_lock(:lock)", lock=_LOCK)
    await check_first_run(tx, token)
    return await create_account(
        tx,
        email=email,
        name=name,
        slug=slug,
        postal_address=postal_address,
        operator=True,
        creator_name=creator_name,
    )
