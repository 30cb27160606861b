"""What a transaction takes here that does nothing, with as many statements as a publication has."""

import asyncio
import time
from uuid import UUID

from app.base.database import Database, Statement, Tx
from app.proof.spread import Spread
from app.publishing import Press, publish

_MAKE = "create table if not exists bench_nothing (n bigint generated always as identity, what text)"
_NOTHING = "select 1"
_COMMIT = "insert into bench_nothing (what) values ('one row, so that the commit is durable')"


class _Counted(Tx):
    """A transaction that counts its statements."""

    statements = 0

    async def rows(self, statement: Statement, /, **binds: object) -> list:
        self.statements += 1
        return await super().rows(statement, **binds)

    async def execute(self, statement: Statement, /, **binds: object) -> int:
        self.statements += 1
        return await super().execute(statement, **binds)


async def statements_of_publishing(web: Database, account_id: int, post_id: UUID) -> int:
    """How many statements publishing this post takes within its transaction."""
    async with web.transaction(account_id) as tx:
        counted = _Counted(tx.connection, account_id)
        await publish(counted, Press(key="counted", post_id=post_id, site=True, email=None))
    return counted.statements


async def nothing(owner: Database, statements: int, a_second: float, seconds: float) -> Spread:
    """Times of transactions of so many statements, begun at this pace, whether the last is over or not."""
    async with owner.transaction() as tx:
        await tx.execute(_MAKE)
    spread, began = Spread(), time.perf_counter()

    async def one(due: float) -> None:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        async with owner.transaction() as tx:
            for _ in range(statements - 1):
                await tx.value(_NOTHING)
            await tx.execute(_COMMIT)
        spread.add(time.perf_counter() - due)

    await asyncio.gather(*(one(began + n / a_second) for n in range(int(seconds * a_second))))
    return spread
