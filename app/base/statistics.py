"""The planner's statistics after a bulk load: autovacuum would come a minute later, plans be poor until then.

A table that grew by less than a tenth is left alone.
"""

from app.base.database import Tx

READERS = ("reader", "subscription", "consent", "reader_tag")
SENDS = ("send",)


async def look_anew(tx: Tx, tables: tuple[str, ...]) -> int:
    """Analyse those that grew; how many did. In a transaction of its own, as a worker."""
    return await tx.value("select fresh_statistics(:tables)", tables=list(tables))
