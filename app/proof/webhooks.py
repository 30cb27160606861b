"""The bench `webhooks`: many deliveries to receivers on this machine, alone and beside publications."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass

from app.base.database import Database
from app.proof.figures import Figure, Part, Rate, Scale
from app.proof.orders import PUBLISH, Order, Tally, WritingOrder, WritingTally
from app.proof.processes import running, told_by, web_process
from app.proof.publications import publication
from app.proof.publish import AT_PACE, PACE, PACED
from app.proof.waiting import seconds_until
from app.proof.writing import (
    AS_PEOPLE_HAVE_IT,
    announcing_accounts,
    as_owner,
    below,
    memory_of,
    steps_told,
    written,
)
from app.webhooks import NewEndpoint, News, add_endpoint, announce

_RATE = 1500.0
_ENDPOINTS = 8
_CHUNK = 1000
_FOR_EVER = 10**9
_DATA = {"id": "b2e6f0c8-0000-4000-8000-000000000000", "email": "reader@example.org", "name": "A Reader"}
_STANDS = """
select (select count(*) from job where kind = 'deliver_webhook' and account_id = any(:accounts)
        and state = 'done') as done,
       (select count(*) from job where queue = 'webhooks' and account_id = any(:accounts)
        and state in ('ready', 'leased')) as not_yet
"""


@dataclass(frozen=True)
class _Drain:
    """So many deliveries, the seconds they took, and what the worker had of memory early and late."""

    deliveries: int
    seconds: float
    early: int
    late: int

    @property
    def per_second(self) -> float:
        return self.deliveries / self.seconds


async def deliveries(scale: Scale) -> Sequence[Figure | Rate]:
    """Workers as they ship; the receiver is a process of its own, its ceiling measured first."""
    web, owner = Database.for_role("web"), as_owner()
    try:
        async with running("app.proof.sink") as receiver, web_process() as port:
            order = Order(receiver, "localhost", ["/"], 32, 2.0)
            ceiling = await told_by("app.proof.hammer", order, Tally, 60)
            accounts = await _hearing(web, receiver)
            keys = await announcing_accounts(web, min(scale.accounts, 32), receiver, ("release.published",))
            alone: list[_Drain] = []
            beside: list[tuple[_Drain, WritingTally]] = []
            for n in range(scale.times):
                alone.append(await _drained(web, owner, accounts, scale.deliveries))
                beside.append(await _beside(web, owner, accounts, keys, port, n, scale))
    finally:
        await web.close()
        await owner.close()
    return _told(alone, beside, ceiling.answers / ceiling.seconds)


def _told(
    alone: list[_Drain], beside: list[tuple[_Drain, WritingTally]], ceiling: float
) -> list[Figure | Rate]:
    last, (drain, tally) = alone[-1], beside[-1]
    at = f"{last.deliveries:,} to {_ENDPOINTS} webhooks, numbered and signed in that time; the receiver takes"
    publishes = [one.steps[PUBLISH].spread for _, one in beside]
    return [
        Rate(
            "deliveries, one worker",
            tuple(one.per_second for one in alone),
            _RATE,
            f"{at} {ceiling:,.0f} requests a second; the worker had {last.early / 1e6:.0f} MB after a fourth"
            f" of them, {last.late / 1e6:.0f} MB at their end",
        ),
        Rate(
            f"deliveries, beside {PACE:g} publications a second",
            tuple(one.per_second for one, _ in beside),
            None,
            f"the same; the worker had {drain.early / 1e6:.0f} and {drain.late / 1e6:.0f} MB",
        ),
        Figure(
            f"p99 of publishing beside them, {PACE:g} a second",
            tuple(one.quantile(0.99) for one in publishes),
            PACED,
            steps_told(tally),
            sum(one.failed for _, one in beside),
        ),
    ]


async def _hearing(web: Database, receiver: int) -> list[int]:
    """Accounts whose webhooks hear of readers."""
    accounts: list[int] = []
    for n in range(_ENDPOINTS):
        account = await publication(web, f"hearing{n}")
        async with web.transaction(account) as tx:
            url = f"http://127.0.0.1:{receiver}/hearing/{n}"
            await add_endpoint(tx, NewEndpoint(url=url, events=("reader.subscribed",)))
        accounts.append(account)
    return accounts


async def _drained(web: Database, owner: Database, accounts: list[int], wanted: int) -> _Drain:
    """From the first announcement's commit until every delivery is settled: announcing takes its part."""
    workers = below(os.getpid(), "webhooks,")
    done, _ = await _stands(owner, accounts)
    share = wanted // len(accounts)
    began = asyncio.get_running_loop().time()
    for account in accounts:
        for start in range(0, share, _CHUNK):
            async with web.transaction(account) as tx:
                news = [News("reader.subscribed", _DATA)] * min(_CHUNK, share - start)
                await announce(tx, *news)
    early = 0

    async def all_there() -> bool:
        nonlocal early
        now, left = await _stands(owner, accounts)
        if not early and now - done > wanted // 4:
            early = memory_of(workers)
        return not left and now - done >= share * len(accounts)

    await seconds_until(all_there, f"{wanted:,} deliveries")
    seconds = asyncio.get_running_loop().time() - began
    return _Drain(share * len(accounts), seconds, early, memory_of(workers))


async def _beside(
    web: Database, owner: Database, accounts: list[int], keys: list[str], port: int, n: int, scale: Scale
) -> tuple[_Drain, WritingTally]:
    """The same while others publish: it begins with their first release."""
    releases = "select count(*) from release"
    async with owner.transaction() as tx:
        before = await tx.value(releases)
    writing = asyncio.create_task(
        written(WritingOrder(port, keys, AT_PACE, scale.seconds, _FOR_EVER, PACE, f"beside {n}"))
    )

    async def begun() -> bool:
        async with owner.transaction() as tx:
            return writing.done() or await tx.value(releases) > before

    await seconds_until(begun, "the first publication")
    drain = await _drained(web, owner, accounts, scale.deliveries)
    return drain, await writing


async def _stands(owner: Database, accounts: list[int]) -> tuple[int, int]:
    async with owner.transaction() as tx:
        row = await tx.row(_STANDS, accounts=accounts)
    assert row is not None
    return row.done, row.not_yet


WEBHOOKS = (
    Part(
        "deliveries of webhooks, alone and beside publications",
        AS_PEOPLE_HAVE_IT,
        (None,),
        deliveries,
        ("accounts", "deliveries", "seconds", "times"),
    ),
)
