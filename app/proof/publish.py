"""The bench `publish`: writing and publishing by the API while the worker announces every release."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from app.answers import plural
from app.base.database import Database
from app.base.errors import Unavailable
from app.posts import Writing, create_post
from app.proof.figures import Figure, Part, Rate, Scale
from app.proof.nothing import nothing, statements_of_publishing
from app.proof.orders import PUBLISH, WritingOrder, WritingTally
from app.proof.processes import running, web_process
from app.proof.processors import each_told, spent
from app.proof.publications import publication
from app.proof.waiting import seconds_until
from app.proof.writing import AS_PEOPLE_HAVE_IT, announcing_accounts, as_owner, steps_told, written

_RATE, _LONGEST = 680.0, 0.387
PACE, PACED = 40.0, 0.019
CONNECTIONS, AT_PACE = 32, 16
_FOR_EVER = 10**9
_DAY = 86_400.0
_UNTOLD = """
select (select count(*) from event where sequence is null)
     + (select count(*) from job where queue = 'webhooks' and state in ('ready', 'leased'))
"""
_TOLD = "select count(*) from job where kind = 'deliver_webhook' and state = 'done'"


@dataclass(frozen=True)
class _Full:
    """A round at full speed: its tally, seconds until all was announced, what of the processor it took."""

    tally: WritingTally
    behind: float
    processor: str


async def publishing(scale: Scale) -> Sequence[Figure | Rate]:
    """A web process and workers as they ship; each round at full speed, then at a pace, then nothing."""
    web, owner = Database.for_role("web"), as_owner()
    try:
        async with running("app.proof.sink") as receiver, web_process() as port:
            keys = await announcing_accounts(web, scale.accounts, receiver, ("release.published",))
            if scale.requests:
                order = WritingOrder(port, keys, CONNECTIONS, _DAY, scale.requests, name="by hand")
                return _full([await _at_full_speed(owner, order)], scale)
            return await _rounds(web, owner, port, keys, scale)
    finally:
        await web.close()
        await owner.close()


async def _rounds(
    web: Database, owner: Database, port: int, keys: list[str], scale: Scale
) -> Sequence[Figure | Rate]:
    statements = await _counted(web)
    full: list[_Full] = []
    paced: list[WritingTally] = []
    idle: list[float] = []
    for n in range(scale.times):
        order = WritingOrder(port, keys, CONNECTIONS, scale.seconds, _FOR_EVER, name=f"{n}")
        full.append(await _at_full_speed(owner, order))
        order = WritingOrder(port, keys, AT_PACE, scale.seconds, _FOR_EVER, PACE, f"paced {n}")
        paced.append(await written(order))
        await _announced(owner)
        idle.append((await nothing(owner, statements, PACE, scale.seconds)).quantile(0.99))
    return [*_full(full, scale), *_paced(paced, idle, statements)]


async def _at_full_speed(owner: Database, order: WritingOrder) -> _Full:
    before = spent(os.getpid())
    tally = await written(order)
    behind = await _announced(owner)
    return _Full(tally, behind, each_told(before, spent(os.getpid()), tally.processor, tally.requests))


def _full(rounds: list[_Full], scale: Scale) -> list[Figure | Rate]:
    tallies, last = [one.tally for one in rounds], rounds[-1].tally
    failed = sum(one.failed for one in tallies)
    behind = max(one.behind for one in rounds)
    meanwhile = (
        f"{CONNECTIONS} connections, {plural(scale.accounts, 'account')}, each with a webhook;"
        f" {steps_told(last)}; all was announced {behind:.1f} s after the last answer;"
        f" {rounds[-1].processor}; the load tool had"
        f" {last.memory_early / 1e6:.0f} MB after a fourth of it, {last.memory_late / 1e6:.0f} MB at its end"
    )
    return [
        Rate(
            f"writing requests at full speed, {failed:,} failed",
            tuple(one.done / one.seconds for one in tallies),
            _RATE,
            meanwhile,
            failed,
        ),
        Figure(
            "p99 of these requests",
            tuple(one.spread.quantile(0.99) for one in tallies),
            _LONGEST,
            "from the request's first octet to the answer's last",
            failed,
        ),
    ]


def _paced(tallies: list[WritingTally], idle: list[float], statements: int) -> list[Figure | Rate]:
    publishes = [one.steps[PUBLISH].spread for one in tallies]
    return [
        Figure(
            f"p99 of publishing, {PACE:g} a second",
            tuple(one.quantile(0.99) for one in publishes),
            PACED,
            f"timed from when each was due; median {publishes[-1].quantile(0.5) * 1000:.1f} ms;"
            f" {steps_told(tallies[-1])}",
            sum(one.failed for one in tallies),
        ),
        Figure(
            "p99 of a transaction that does nothing, at this pace",
            tuple(idle),
            None,
            f"{plural(statements, 'statement')} as publishing has, and a row written; no web process",
        ),
    ]


async def _announced(owner: Database) -> float:
    """Seconds until nothing waits to be announced. Raises Unavailable when nothing at all was."""

    async def none_left() -> bool:
        async with owner.transaction() as tx:
            return not await tx.value(_UNTOLD)

    seconds = await seconds_until(none_left, "the announcement of every release")
    async with owner.transaction() as tx:
        if not await tx.value(_TOLD):
            raise Unavailable("Nothing could be measured: no release was announced.")
    return seconds


async def _counted(web: Database) -> int:
    account = await publication(web, "counted")
    async with web.transaction(account) as tx:
        draft = await create_post(tx, Writing(title="Counted", markdown="How many statements it takes."))
    return await statements_of_publishing(web, account, draft.post_id)


PUBLISH_BENCH = (
    Part(
        "writing and publishing, at full speed and at a pace",
        AS_PEOPLE_HAVE_IT,
        (None,),
        publishing,
        ("accounts", "requests", "seconds", "times"),
    ),
)
