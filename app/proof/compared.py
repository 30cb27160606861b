"""What drains and the making of jobs say, beside what is promised and other engines of the same run."""

from statistics import median

from app.proof.drains import Drain
from app.proof.figures import Figure, Memory, Rate
from app.proof.noop import SLOTS
from app.proof.peer import AT_ONCE, PeerTally

#: Accounts that the jobs are of.
ACCOUNTS = 64
_RATE, _ONE_BY_ONE, _IN_A_CALL = 12_000.0, 1000.0, 30_000.0
_PGQUEUER, _PROCRASTINATE, _BARE = 1.2, 25.0, 0.5
#: The second half is at least this part of the first.
_STEADY = 0.8

#: By engine and size of its groups.
Peers = dict[tuple[str, int], list[PeerTally]]


def rates(drains: list[Drain], free: list[Drain], peers: Peers) -> list[Figure | Rate | Memory]:
    """One worker beside what is promised, without the trigger, and each other engine by itself."""
    last, each = drains[-1], tuple(one.per_second for one in drains)
    everything = (
        f"{last.jobs:,} jobs of {ACCOUNTS} accounts, {SLOTS:,} handlers; attempts, trigger, keys and shares"
        f" on; {last.processor_told()}"
    )
    found: list[Figure | Rate | Memory] = [Rate("jobs that do nothing, one worker", each, _RATE, everything)]
    for engine, times, said in (
        ("pgqueuer", _PGQUEUER, "1.2 × pgqueuer at its best"),
        ("procrastinate", _PROCRASTINATE, "25 × procrastinate"),
        ("bare", _BARE, "half the bare statements"),
    ):
        if best := _best(engine, peers):
            found.append(Rate(f"… beside {said}", each, times * best, "the same drains, of this run"))
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


def halves(million: Drain) -> list[Rate]:
    """Whether many jobs slow those behind them."""
    first, second = million.halves
    return [
        Rate(
            f"the second half of {million.jobs:,} jobs",
            (second,),
            _STEADY * first,
            f"the first half went at {first:,.0f} a second; {million.processor_told()}",
        )
    ]


def making(one: list[float], sixteen: list[float], call: list[float], peers: Peers) -> list[Rate]:
    """How fast jobs are made, beside the other engines."""
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
