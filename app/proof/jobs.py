"""The bench `jobs`: the engine by itself, with everything on, beside other queues and bare statements."""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from app.accounts import create_account
from app.base.database import Database
from app.base.settings import settings
from app.jobs import enqueue
from app.proof.drains import Drain, drained, forgotten, made
from app.proof.figures import Figure, Memory, Part, Rate, Scale
from app.proof.noop import SLOTS, DoNothing, known
from app.proof.open_transactions import beside_an_open_transaction
from app.proof.peer import AT_ONCE, PeerOrder, PeerTally, paced
from app.proof.pick_up import pick_ups
from app.proof.processes import told_by
from app.proof.writing import as_owner

_RATE, _ONE_BY_ONE, _IN_A_CALL, _MEGABYTES = 12_000.0, 1000.0, 30_000.0, 120.0
_PGQUEUER, _PROCRASTINATE, _BARE = 1.2, 25.0, 0.5
#: The second half is at least this part of the first.
_STEADY = 0.8
_SHARES = 64
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

Peers = dict[tuple[str, int], list[PeerTally]]


async def nothing_done(scale: Scale) -> Sequence[Figure | Rate | Memory]:
    """On one server: drains, also without the trigger, other queues; making, waiting, an old snapshot."""
    with known():
        return await _nothing_done(scale)


async def _nothing_done(scale: Scale) -> Sequence[Figure | Rate | Memory]:
    web, owner = Database.for_role("web"), as_owner()
    drains: list[Drain] = []
    free: list[Drain] = []
    peers: Peers = {}
    one_by_one: list[float] = []
    sixteen: list[float] = []
    in_a_call: list[float] = []
    with tempfile.TemporaryDirectory(prefix="godwit-jobs-") as name:
        folder = Path(name)
        try:
            accounts = await _accounts(web)
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
            waiting = await pick_ups(web, owner, folder, accounts, scale)
            held = await beside_an_open_transaction(web, owner, folder, accounts, scale)
        finally:
            await web.close()
            await owner.close()
    return [
        *_rates(drains, free, peers),
        *_halves(million),
        *_making(one_by_one, sixteen, in_a_call, peers),
        *waiting,
        *held,
        Memory(
            "the worker's memory",
            tuple(one.memory / 1e6 for one in [*drains, million]),
            _MEGABYTES,
            f"after {drains[0].jobs:,} jobs each time, and after {million.jobs:,}",
        ),
    ]


async def _accounts(web: Database) -> list[int]:
    found: list[int] = []
    for n in range(_SHARES):
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


def _rates(drains: list[Drain], free: list[Drain], peers: Peers) -> list[Figure | Rate | Memory]:
    last, rates = drains[-1], tuple(one.per_second for one in drains)
    everything = (
        f"{last.jobs:,} jobs of {_SHARES} accounts, {SLOTS:,} handlers; attempts, trigger, keys and shares"
        f" on; {last.processor_told()}"
    )
    found: list[Figure | Rate | Memory] = [Rate("jobs that do nothing, one worker", rates, _RATE, everything)]
    for engine, times, said in (
        ("pgqueuer", _PGQUEUER, "1.2 × pgqueuer at its best"),
        ("procrastinate", _PROCRASTINATE, "25 × procrastinate"),
        ("bare", _BARE, "half the bare statements"),
    ):
        if best := _best(engine, peers):
            found.append(Rate(f"… beside {said}", rates, times * best, "the same drains, of this run"))
    unguarded = median(sum(one.processor.values()) for one in free)
    guarded = median(sum(one.processor.values()) for one in drains)
    found.append(
        Rate(
            "… without the trigger that holds the moves",
            tuple(one.per_second for one in free),
            None,
            f"the trigger takes {guarded - unguarded:.1f} µs of the processor's {guarded:.1f} a job",
        )
    )
    for (engine, batch), tallies in peers.items():
        if tallies[0].missing:
            found.append(_absent(engine))
            continue
        how = f"by {batch}" if engine != "procrastinate" else f"{batch} at once"
        took = median(one.processor for one in tallies)
        found.append(
            Rate(
                f"{_called(engine)}, {how}",
                tuple(one.drained for one in tallies),
                None,
                f"of the processor a job took {took:.0f} µs in its process, the server's apart",
            )
        )
    return found


def _best(engine: str, peers: Peers) -> float:
    """The best median of it; 0 when it is not here."""
    return max(
        (median(one.drained for one in tallies) for (name, _), tallies in peers.items() if name == engine),
        default=0.0,
    )


def _absent(engine: str) -> Rate:
    return Rate(
        engine, (0.0,), None, f"not installed: pip install {engine} (the bench's own extra: .[bench])"
    )


def _called(engine: str) -> str:
    return "bare statements" if engine == "bare" else engine


def _halves(million: Drain) -> list[Rate]:
    first, second = million.halves
    return [
        Rate(
            f"the second half of {million.jobs:,} jobs",
            (second,),
            _STEADY * first,
            f"the first half went at {first:,.0f} a second; {million.processor_told()}",
        )
    ]


def _making(one: list[float], sixteen: list[float], call: list[float], peers: Peers) -> list[Rate]:
    found = [
        Rate("jobs made one by one", tuple(one), _ONE_BY_ONE, "a commit and a ring each, with a key"),
        Rate(f"… {AT_ONCE} at once", tuple(sixteen), _ONE_BY_ONE, "the same"),
        Rate(
            "… 1,000 in a call", tuple(call), _IN_A_CALL, "a commit and a ring each thousand, with a key each"
        ),
    ]
    for (engine, batch), tallies in peers.items():
        if tallies[0].missing or (engine, batch) not in (
            ("bare", 100),
            ("pgqueuer", 100),
            ("procrastinate", 20),
        ):
            continue
        made_by = _called(engine)
        found += [
            Rate(f"{made_by}: one by one", tuple(t.one_by_one for t in tallies), None, "beside ours"),
            Rate(f"{made_by}: {AT_ONCE} at once", tuple(t.sixteen for t in tallies), None, "beside ours"),
            Rate(f"{made_by}: 1,000 in a call", tuple(t.in_a_call for t in tallies), None, "beside ours"),
        ]
    return found


#: Nothing is started beside: each measurement has the worker it needs.
JOBS = (Part({"GODWIT_MODE": "development"}, (), nothing_done),)
