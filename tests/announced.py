"""What webhooks were told: the events of an account, as they stand after a commit."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from app.base.database import Database, Tx
from app.webhooks import NewEndpoint, add_endpoint

_EVENTS = "select type, data from event where account_id = :account order by id"


class _Failed(Exception):
    pass


async def listen(web: Database, account_id: int) -> None:
    """A webhook, so that what happens from now on is announced."""
    async with web.transaction(account_id) as tx:
        await add_endpoint(tx, NewEndpoint("https://hear.example/", ("*",), ""))


async def told(web: Database, account_id: int, *types: str) -> list[tuple[str, Any]]:
    """Every event so far, oldest first, with what it tells; of these types, if any are named."""
    async with web.transaction(account_id) as tx:
        rows = await tx.rows(_EVENTS, account=account_id)
    return [(row.type, row.data) for row in rows if not types or row.type in types]


@asynccontextmanager
async def rolled_back(web: Database, account_id: int) -> AsyncIterator[Tx]:
    """A transaction that fails at its end, after everything in it was done."""
    try:
        async with web.transaction(account_id) as tx:
            yield tx
            raise _Failed
    except _Failed:
        pass
