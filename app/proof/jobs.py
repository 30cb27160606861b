"""The bench `jobs`: the engine by itself, with everything on, beside other queues and bare statements."""

import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from app.accounts import create_account
from app.base.database import Database
from app.base.settings import settings
from app.jobs import enqueue
from app.proof.compared import ACCOUNTS, Peers, halves, making, rates
from app.proof.drains import Drain, drained, forgotten, made
from app.proof.figures import Figure, Memory, Part, Rate, Scale
from app.proof.noop import DoNothing, known
from app.proof.open_transactions import beside_an_open_transaction
from app.proof.peer import AT_ONCE, PeerOrder, PeerTally, paced
from app.proof.pick_up import pick_ups
from app.proof.processes import told_by
from app.proof.writing import as_owner

_MEGABYTES = 120.0
_PATIENCE = 600.0
#: Engine, size of its groups (of procrastinate: jobs in hand at once), part of the jobs that it is given.
_PEERS = (
    ("bare", 100, 1.0),
    ("bare", 500, 1.0),
    ("pgqueuer", 100, 0.5),
    ("pgqueuer", 500, 0.5),
    ("procrastinate", 20, 0.02),
)
_TRIGGER = "alter table job {what} trigger job_moves"


@dataclass(frozen=True)
class House:
    """What a measurement works with."""

    web: Database
    owner: Database
    folder: Path
    accounts: Sequence[int]


@asynccontextmanager
async def _house() -> AsyncGenerator[House]:
    """Whose jobs do nothing, on the servers of this part."""
    web, owner = Database.for_role("web"), as_owner()
    with known(), tempfile.TemporaryDirectory(prefix="godwit-jobs-") as name:
        try:
            yield House(web, owner, Path(name), await _accounts(web))
        finally:
            await web.close()
            await owner.close()


async def idle(scale: Scale) -> Sequence[Figure | Rate | Memory]:
    """How soon an idle worker begins."""
    async with _house() as one:
        return await pick_ups(one.web, one.owner, one.folder, one.accounts, scale)


async def beside_an_old_snapshot(scale: Scale) -> Sequence[Figure | Rate | Memory]:
    """Claims while somebody's transaction stays open."""
    async with _house() as one:
        return await beside_an_open_transaction(one.web, one.owner, one.folder, one.accounts, scale)


async def nothing_done(scale: Scale) -> Sequence[Figure | Rate | Memory]:
    """On one server: drains, also without the trigger, other queues; making."""
    drains: list[Drain] = []
    free: list[Drain] = []
    peers: Peers = {}
    one_by_one: list[float] = []
    sixteen: list[float] = []
    in_a_call: list[float] = []
    async with _house() as one:
        web, owner, folder, accounts = one.web, one.owner, one.folder, one.accounts
        jobs = max(1, scale.jobs // 2)
        for n in range(scale.times):
            await forgotten(owner)
            few = max(AT_ONCE, scale.jobs // 200)
            one_by_one.append(await _one_by_one(web, accounts[0], few, 1))
            sixteen.append(await _one_by_one(web, accounts[0], few, AT_ONCE))
            await forgotten(owner)
            in_a_call.append(await made(web, accounts, jobs))
            drains.append(await drained(owner, folder, jobs))
            free.append(await _without_trigger(web, owner, folder, accounts, jobs))
            await _asked(owner, peers, n, scale)
        await forgotten(owner)
        await made(web, accounts, 5 * scale.jobs)
        million = await drained(owner, folder, 5 * scale.jobs)
    return [
        *rates(drains, free, peers),
        *halves(million),
        *making(one_by_one, sixteen, in_a_call, peers),
        Memory(
            "the worker's memory",
            tuple(one.memory / 1e6 for one in [*drains, million]),
            _MEGABYTES,
            f"after {drains[0].jobs:,} jobs each time, and after {million.jobs:,}",
        ),
    ]


async def _accounts(web: Database) -> list[int]:
    found: list[int] = []
    for n in range(ACCOUNTS):
        async with web.transaction() as tx:
            made_now = await create_account(
                tx, email=f"bench{n}@example.org", name=f"Bench {n}", slug=f"bench{n}", postal_address="Here"
            )
        found.append(made_now.id)
    return found


async def _one_by_one(web: Database, account: int, few: int, at_once: int) -> float:
    async def make() -> None:
        async with web.transaction(account) as tx:
            await enqueue(tx, DoNothing(0), key=f"{at_once}/{time.perf_counter_ns()}")

    return await paced(make, few, at_once)


async def _without_trigger(
    web: Database, owner: Database, folder: Path, accounts: Sequence[int], jobs: int
) -> Drain:
    await forgotten(owner)
    async with owner.transaction() as tx:
        await tx.execute(_TRIGGER.format(what="disable"))
    try:
        await made(web, accounts, jobs)
        return await drained(owner, folder, jobs)
    finally:
        async with owner.transaction() as tx:
            await tx.execute(_TRIGGER.format(what="enable"))


async def _asked(owner: Database, peers: Peers, n: int, scale: Scale) -> None:
    """Each in a database of its own on this server, which goes with the server."""
    server = settings().database.owner_url.rpartition("/")[0]
    for engine, batch, part in _PEERS:
        name = f"bench_{engine}_{batch}_{n}"
        await _outside(owner, f"create database {name}")
        jobs = max(AT_ONCE, int(scale.jobs // 2 * part))
        order = PeerOrder(engine, f"{server}/{name}", jobs, max(AT_ONCE, scale.jobs // 200), batch)
        tally = await told_by("app.proof.peers", order, PeerTally, _PATIENCE)
        peers.setdefault((engine, batch), []).append(tally)


async def _outside(owner: Database, statement: str) -> None:
    """A statement that no transaction takes."""
    connection = await owner.pool.acquire("select 1")
    try:
        await connection.execute(statement)
    finally:
        await owner.pool.release(connection, clean=True)


#: Nothing is started beside: each measurement has the worker it needs.
JOBS = tuple(
    Part(what, {"GODWIT_MODE": "development"}, (), measure, heeds)
    for what, measure, heeds in (
        ("jobs that do nothing, beside bare statements and other queues", nothing_done, ("jobs", "times")),
        ("how soon an idle worker begins", idle, ("jobs",)),
        ("claims, beside a transaction that stays open", beside_an_old_snapshot, ("minutes",)),
    )
)
