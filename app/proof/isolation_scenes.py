"""A scene of the bench `isolation`: people come, and what became of each code they asked for."""

import asyncio
import os
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from app.base.database import Database
from app.base.errors import Unavailable
from app.proof.isolation_house import House
from app.proof.orders import Asked, PeopleTally
from app.proof.processes import at_work
from app.proof.processors import all_spent, command_of, spent_by_each
from app.proof.spread import Spread
from app.proof.waiting import seconds_until

#: Those who serve people, and the tool that plays them: words in their command lines.
_SERVING = ("app.cli\0web", "codes_creators", "app.proof.people")
_OPEN = """
select exists (select from job
               where queue in ('codes_creators', 'codes_readers') and state in ('ready', 'leased'))
"""
#: The worker has the provider's yes in hand when it settles.
_CODES = """
select j.args ->> 'to' as address, j.queue, cast(extract(epoch from j.created_at) as float8) as made,
       cast(extract(epoch from a.started_at) as float8) as claimed,
       cast(extract(epoch from m.received_at) as float8) as kept,
       cast(extract(epoch from a.ended_at) as float8) as accepted
from job j
join attempt a on a.account_id = j.account_id and a.job_id = j.id and a.outcome = 'done' and not a.late
join mailbox.mail m on m.delivery_id = cast(j.args ->> 'delivery_id' as uuid)
where j.queue in ('codes_creators', 'codes_readers') and j.created_at >= to_timestamp(:since)
order by j.id
"""


@dataclass(frozen=True)
class Code:
    """Seconds from the ask's first octet until its job was made, claimed, kept by the provider, accepted."""

    queue: str
    made: float
    claimed: float
    kept: float
    accepted: float


@dataclass
class Scene:
    """What people met, and what went on.

    `duties`: what of a processor each took that does not serve people; `ours`: all of this house; `busy`: all
    of the machine.
    """

    codes: list[Code] = field(default_factory=list)
    lost: int = 0
    pages: Spread = field(default_factory=Spread)
    failed: dict[int, int] = field(default_factory=dict)
    answers: Spread = field(default_factory=Spread)
    seconds: float = 0.0
    duties: dict[int, float] = field(default_factory=dict)
    busy: float = 0.0
    ours: float = 0.0

    def quantile(self, part: float, *, step: str = "accepted", queue: str = "") -> float:
        """So many of the codes took at most so long until that step."""
        times = sorted(getattr(one, step) for one in self.codes if queue in one.queue)
        return times[min(len(times) - 1, int(part * len(times)))] if times else 0.0

    def beside(self, quiet: "Scene") -> list[float]:
        """What of a processor each process took here that did not serve people, and did not take in quiet."""
        more = {pid: duty - quiet.duties.get(pid, 0.0) for pid, duty in self.duties.items()}
        return [duty for duty in more.values() if duty > 0]


@asynccontextmanager
async def scene(house: House, number: int, scenes: int) -> AsyncGenerator[Scene]:
    """People come as long as this is open; what became of them stands in the scene afterwards."""
    told, since = Scene(), time.time()
    order = house.people(number, scenes)
    async with at_work("app.proof.people", order, PeopleTally) as end:
        before, all_before, began = spent_by_each(os.getpid()), all_spent(), time.monotonic()
        yield told
        after, all_after = spent_by_each(os.getpid()), all_spent()
        told.seconds = time.monotonic() - began
        tally = await end()
    took = {pid: seconds - before.get(pid, 0.0) for pid, seconds in after.items()}
    told.ours, told.busy = sum(took.values()) / told.seconds, (all_after - all_before) / told.seconds
    told.duties = {pid: one / told.seconds for pid, one in took.items() if not _serves(pid)}
    told.pages, told.failed = Spread(tally.pages), tally.failed
    for one in tally.asked:
        told.answers.add(one.took)
    told.codes, told.lost = await _codes(house.owner, tally.asked, since)
    if not told.codes or not told.pages.count:
        raise Unavailable("Nothing could be measured: no code came, or no page.")


async def _codes(owner: Database, asked: Sequence[Asked], since: float) -> tuple[list[Code], int]:
    """What became of each, and how many came to nothing."""

    async def none_open() -> bool:
        async with owner.transaction() as tx:
            return not await tx.value(_OPEN)

    await seconds_until(none_open, "the end of every code", step=0.1)
    async with owner.transaction() as tx:
        rows = await tx.rows(_CODES, since=since - 1)
    found: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        found[row.address].append(row)
    codes = [
        Code(row.queue, row.made - one.at, row.claimed - one.at, row.kept - one.at, row.accepted - one.at)
        for one in asked
        if 200 <= one.status < 400
        and (row := next((row for row in found[one.address] if row.made > one.at), None)) is not None
    ]
    return codes, len(asked) - len(codes)


def _serves(pid: int) -> bool:
    return any(word in command_of(pid) for word in _SERVING)


async def at_least(seconds: float, told: float) -> None:
    """Stay until so many seconds have passed since that moment of the monotonic clock."""
    await asyncio.sleep(max(0.0, told + seconds - time.monotonic()))
