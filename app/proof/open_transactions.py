"""Claims while somebody's transaction stays open: what died since then cannot be cleared away."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from app.base.database import Database
from app.jobs import Order, enqueue, enqueue_many
from app.proof.drains import Claim, Worker, forgotten, worker
from app.proof.figures import Figure, Scale
from app.proof.noop import DoNothing
from app.proof.waiting import seconds_until

#: Claims are at most so many times as long as without.
_AT_MOST = 5
#: Jobs a second that pass: 200,000 in ten minutes.
_A_SECOND = 333.0
_STEP = 0.05
#: Ended neither for lying idle, as ours are, nor, where the server can, for lasting.
_OLDEST = """
begin isolation level repeatable read;
select set_config(name, '0', true) from pg_settings
where name in ('idle_in_transaction_session_timeout', 'transaction_timeout');
select count(*) from account
"""


async def beside_an_open_transaction(
    web: Database, owner: Database, folder: Path, accounts: Sequence[int], scale: Scale
) -> list[Figure]:
    """The same pace without and with; the p99 of the claims that took something."""
    seconds = scale.minutes * 60
    await forgotten(owner)
    async with worker(folder) as one:
        await _at_work(web, one, accounts[0])
        idle = await _passed(web, one, accounts, min(seconds, 60.0))
        await forgotten(owner)
        async with held_open(owner):
            held = await _passed(web, one, accounts, seconds)
    before, after = _p99(idle), _p99(held)
    jobs = sum(claim.jobs for claim in held)
    last = _p99(held[-max(1, len(held) // 10) :])
    return [
        Figure(
            f"p99 of a claim, a transaction open for {scale.minutes:g} min",
            (after,),
            _AT_MOST * before,
            f"{jobs:,} jobs passed in {len(held):,} claims; {after / before:.1f} times the"
            f" {before * 1000:.1f} ms without; of the last tenth of them {last * 1000:.1f} ms",
        )
    ]


@asynccontextmanager
async def held_open(owner: Database) -> AsyncGenerator[Any]:
    """A transaction that reads as of now and goes on doing nothing for as long as it is let; its connection.

    Raises what the driver does when it was ended before.
    """
    connection = await owner.pool.acquire(_OLDEST)
    clean = False
    try:
        yield connection
        await connection.execute("rollback")
        clean = True
    finally:
        await owner.pool.release(connection, clean=clean)


async def _at_work(web: Database, one: Worker, account: int) -> None:
    """Wait until a worker that just started has claimed something."""
    async with web.transaction(account) as tx:
        await enqueue(tx, DoNothing(0))

    async def claimed() -> bool:
        return bool(one.claims(0))

    await seconds_until(claimed, "a first claim")


async def _passed(web: Database, one: Worker, accounts: Sequence[int], seconds: float) -> list[Claim]:
    began = time.monotonic()
    number = 0
    while (now := time.monotonic()) < began + seconds:
        due = int((now - began) * _A_SECOND) - number
        if due > 0:
            async with web.transaction(accounts[number % len(accounts)]) as tx:
                await enqueue_many(tx, [Order(DoNothing(n), key=f"{began}/{number + n}") for n in range(due)])
            number += due
        await asyncio.sleep(_STEP)

    async def all_claimed() -> bool:
        return sum(claim.jobs for claim in one.claims(began)) >= number

    await seconds_until(all_claimed, "the end of these jobs")
    return one.claims(began)


def _p99(claims: Sequence[Claim]) -> float:
    took = sorted(claim.seconds for claim in claims)
    return took[min(len(took) - 1, int(len(took) * 0.99))]
