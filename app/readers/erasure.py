"""Erasing a reader: the rows go, a keyed hash of the address stays, so that no old list brings them back."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from app.base import tokens
from app.base.addresses import THIS_ADDRESS, written
from app.base.database import Tx
from app.ledger import forget_reader
from app.messages import forget_messages
from app.readers.announcing import tell_erased
from app.suppressions import forget_address, hash_of
from app.webhooks import forget_events

_PURPOSE = "erased_reader"
_WORDS = "select forget_words(:reader, :address, :hash, :written, :instead)"
_NOTICES = "select forget_notices(:written, :instead)"
_WAIT = "select id from reader where email = :address for key share"
_BACK = """
select exists (select from reader r join subscription s on s.account_id = r.account_id and s.reader_id = r.id
               where r.email = :address and s.state <> 'pending')
"""
_NOTE = "insert into erased_reader (account_id, reader_id, address_hash) values (:account, :reader, :hash)"


async def erase_reader(tx: Tx, reader_id: UUID) -> bool:
    """Erase for good: reader, subscriptions, consent, tags, sessions, and the address in every mail and word.

    What blocks the address stays, under a hash of it. False when there is no such reader.
    """
    address = await tx.value("delete from reader where id = :id returning email", id=reader_id)
    if address is None:
        return False
    hashed = tokens.keyed_hash(_PURPOSE, address)
    await tx.execute(_NOTE, account=tx.account_id, reader=reader_id, hash=hashed)
    told = _told(reader_id, address)
    await tx.execute(_WORDS, **told)
    await tx.execute(_NOTICES, written=told["written"], instead=told["instead"])
    await forget_events(tx, reader_id, told["written"], told["instead"])
    await forget_reader(tx, reader_id)
    await forget_messages(tx, address)
    await forget_address(tx, address)
    await tell_erased(tx, reader_id)
    return True


def _told(reader_id: UUID, address: str) -> dict[str, Any]:
    return {
        "reader": reader_id,
        "address": address,
        "hash": hash_of(address),
        "written": written(address),
        "instead": THIS_ADDRESS,
    }


async def was_erased(tx: Tx, reader_id: UUID) -> bool:
    """Whether this reader was here once and was erased."""
    return bool(
        await tx.value("select exists (select from erased_reader where reader_id = :id)", id=reader_id)
    )


async def erased_when(tx: Tx, address: str) -> datetime | None:
    """When a reader of this canonical address was last erased; None: never."""
    return await tx.value(
        "select max(erased_at) from erased_reader where address_hash = any (cast(:hashes as bytea[]))",
        hashes=tokens.keyed_hashes(_PURPOSE, address),
    )


async def is_away(tx: Tx, address: str) -> bool:
    """Whether this canonical address's reader was erased and has not come back; asking alone is not that."""
    await tx.execute(_WAIT, address=address)  # for an erasure that is under way
    if await erased_when(tx, address) is None:
        return False
    return not await tx.value(_BACK, address=address)


async def erased_among(tx: Tx, addresses: Sequence[str]) -> set[str]:
    """Those of these canonical addresses whose reader was erased."""
    if not await tx.value("select exists (select from erased_reader)"):
        return set()
    hashes = {hashed: one for one in addresses for hashed in tokens.keyed_hashes(_PURPOSE, one)}
    rows = await tx.rows(
        "select address_hash from erased_reader where address_hash = any (cast(:hashes as bytea[]))",
        hashes=list(hashes),
    )
    return {hashes[bytes(row.address_hash)] for row in rows}
