"""The secrets of endpoints: made, sealed, and signed with (Standard Webhooks 1.0)."""

import base64
import hmac
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from uuid import UUID

from app.base import ids
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, Problem
from app.base.seal import seal, unseal

PURPOSE = "webhook"
#: How the reason of a delivery begins that waits for a key of the installation.
SHUT = "The secret of the webhook cannot be opened."
#: Bytes of a new key; the standard asks for 24 to 64.
KEY_BYTES = 32
PREFIX = "whsec_"
#: Hours that an old secret may go on signing beside the new one.
MOST_OVERLAP = 24 * 7
#: Secrets that may sign one call; each is a signature more in its header.
MOST_SIGNING = 5

_ADD = """
insert into endpoint_secret (account_id, id, endpoint_id, sealed) values (:account, :id, :endpoint, :sealed)
"""
_NEWEST = """
select id from endpoint_secret
where account_id = :account and endpoint_id = :endpoint and expires_at is null
"""
_SIGNING = """
select count(*) from endpoint_secret
where account_id = :account and endpoint_id = :endpoint and (expires_at is null or expires_at > godwit_now())
"""
_END = """
update endpoint_secret set expires_at = least(expires_at, godwit_now() + make_interval(hours => :hours))
where account_id = :account and endpoint_id = :endpoint
"""
_LIVE = """
select id, endpoint_id, sealed, created_at, expires_at from endpoint_secret
where account_id = :account and endpoint_id = any (cast(:endpoints as uuid[]))
  and (expires_at is null or expires_at > godwit_now())
order by created_at desc
"""


@dataclass(frozen=True)
class SecretLine:
    """A secret, not its words. `expires_at`: until then it signs beside the newer one; None: the newest."""

    id: UUID
    created_at: datetime
    expires_at: datetime | None


async def add_secret(tx: Tx, endpoint_id: UUID) -> str:
    """A new secret of the endpoint, `whsec_…`: shown now, and sealed from here on."""
    key, secret_id = os.urandom(KEY_BYTES), ids.new()
    assert tx.account_id is not None
    sealed = seal(PURPOSE, key, bound_to=bound_to(tx.account_id, endpoint_id, secret_id))
    await tx.execute(_ADD, account=tx.account_id, id=secret_id, endpoint=endpoint_id, sealed=sealed)
    return shown(key)


async def replace_secret(tx: Tx, endpoint_id: UUID, hours: int, newest: UUID | None) -> str:
    """A new secret of an endpoint that nobody else changes; those before it sign on for `hours` at most.

    Raises Invalid, Conflict.
    """
    if not 0 <= hours <= MOST_OVERLAP:
        raise Invalid(
            [Problem("overlap_hours", f"The overlap is a number of hours from 0 to {MOST_OVERLAP}.")]
        )
    current = await tx.value(_NEWEST, account=tx.account_id, endpoint=endpoint_id)
    if newest is not None and newest != current:
        raise Conflict("The secret was changed meanwhile. Look at the webhook again before you change it.")
    signing = await tx.value(_SIGNING, account=tx.account_id, endpoint=endpoint_id)
    if hours and signing >= MOST_SIGNING:
        raise Conflict(
            f"{signing} secrets sign each call already. Wait until an earlier one has ended, or make a new "
            "one with no overlap: then it alone signs."
        )
    await tx.execute(_END, account=tx.account_id, endpoint=endpoint_id, hours=hours)
    return await add_secret(tx, endpoint_id)


async def secret_lines(tx: Tx, endpoint_ids: Sequence[UUID]) -> dict[UUID, tuple[SecretLine, ...]]:
    """The secrets that sign, newest first, by endpoint."""
    found: dict[UUID, tuple[SecretLine, ...]] = {}
    for row in await tx.rows(_LIVE, account=tx.account_id, endpoints=list(endpoint_ids)):
        found[row.endpoint_id] = (
            *found.get(row.endpoint_id, ()),
            SecretLine(row.id, row.created_at, row.expires_at),
        )
    return found


async def live_secrets(tx: Tx, endpoint_id: UUID) -> list[str]:
    """The secrets that sign now, `whsec_…`, newest first: for who verifies. Raises Unsealable."""
    rows = await tx.rows(_LIVE, account=tx.account_id, endpoints=[endpoint_id])
    assert tx.account_id is not None
    return [shown(opened(tx.account_id, endpoint_id, row.id, bytes(row.sealed))) for row in rows]


def shown(key: bytes) -> str:
    """A key as receivers put it into their settings."""
    return PREFIX + base64.b64encode(key).decode()


def bound_to(account_id: int, endpoint_id: UUID, secret_id: UUID) -> str:
    """What a sealed secret belongs to: moved to another row it does not open."""
    return f"{account_id}/{endpoint_id}/{secret_id}"


@lru_cache(maxsize=4096)
def opened(account_id: int, endpoint_id: UUID, secret_id: UUID, sealed: bytes) -> bytes:
    """The key that was sealed. Raises Unsealable."""
    return unseal(PURPOSE, sealed, bound_to=bound_to(account_id, endpoint_id, secret_id))


def signature(keys: Sequence[bytes], webhook_id: str, timestamp: int, body: bytes) -> str:
    """The header `webhook-signature`: one `v1,…` for each live key, newest first, a space between."""
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    return " ".join(f"v1,{base64.b64encode(hmac.digest(key, signed, sha256)).decode()}" for key in keys)
