"""Forgetting a reader: states stay, addresses go."""

from uuid import UUID

from app.base.database import Tx
from app.base.statements import sql


async def forget_reader(tx: Tx, reader_id: UUID) -> None:
    """Take a reader's address out of the books. Copies still planned will be skipped by their claim."""
    await tx.execute(sql(__package__, "forget_addresses"), account=tx.account_id, reader=reader_id)
    await tx.execute(sql(__package__, "forget_blanks"), account=tx.account_id, reader=reader_id)
