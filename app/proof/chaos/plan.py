"""The schedule of a run: made whole from the seed before anything begins, so that it can be repeated.

Nothing here looks at the machine. Where a step chooses among what there is only then (which broadcast to
pause), it carries a fraction (`pick`) that chooses.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Hand = Literal["people", "fault"]
#: Seconds of a round, after which faults stop and the promises are looked at.
ROUND = 60.0
#: Publications, with so many readers each.
READERS = (150, 60, 20)
#: Workers: one of codes and messages, two of the rest, so that one stands when the other falls.
WORKERS = 3
#: People's acts a second, and the seconds between two faults in the middle.
PACE, BETWEEN = 1.6, 2.4
#: How often a fault comes right after another, seldom as that is by chance.
AT_ONCE = 0.2
#: Nothing begins in the last seconds of a round.
CALM = 2.0


@dataclass(frozen=True)
class Step:
    """At `at` seconds of its round somebody does `act`; `told` says with what."""

    round: int
    at: float
    hand: Hand
    act: str
    told: dict[str, Any]


#: How often people do what, beside each other.
PEOPLE = {
    "publish": 16,
    "broadcast": 5,
    "restore": 3,
    "unpublish": 1,
    "add_reader": 6,
    "sign_up": 5,
    "unsubscribe": 6,
    "erase": 2,
    "creator_code": 2,
    "reader_code": 3,
    "pause": 2,
    "resume": 1,
    "cancel": 2,
    "retry_failed": 2,
    "send_to_missing": 2,
    "schedule": 2,
    "switch": 1,
    "pause_endpoint": 2,
    "rotate": 2,
    "redeliver": 2,
    "test_endpoint": 1,
    "import": 2,
    "message": 6,
}
FAULTS = {
    "kill_worker": 5,
    "stop_worker": 4,
    "deploy_worker": 3,
    "kill_web": 2,
    "deploy_web": 1,
    "stop_web": 2,
    "cut": 3,
    "hold_open": 2,
    "crash_postgres": 1,
    "kill_valkey": 1,
    "flush_valkey": 2,
    "failpoint": 6,
    "provider": 6,
    "receiver": 5,
    "clock": 1,
}
_POINTS = (
    ("jobs", "after_claim", "deliver_sends"),
    ("jobs", "before_settle", "deliver_sends"),
    ("jobs", "after_settle", "deliver_sends"),
    ("ledger", "after_claim", "deliver_sends"),
    ("ledger", "after_talk", "deliver_sends"),
    ("ledger", "before_settle", "deliver_sends"),
    ("ledger", "after_settle", "deliver_sends"),
    ("jobs", "after_claim", "deliver_webhook"),
    ("jobs", "before_settle", "deliver_webhook"),
    ("webhooks", "before_check", "deliver_webhook"),
    ("webhooks", "after_check", "deliver_webhook"),
    ("webhooks", "after_talk", "deliver_webhook"),
    ("jobs", "after_claim", "fan_out"),
    ("jobs", "before_settle", "fan_out"),
    ("jobs", "before_settle", "build_broadcast"),
    ("jobs", "after_claim", "build_broadcast"),
    ("ledger", "after_chunk", "build_broadcast"),
    ("jobs", "before_settle", "send_message"),
    ("jobs", "after_claim", "send_message"),
    ("messages", "after_check", "send_message"),
    ("messages", "after_talk", "send_message"),
    ("messages", "after_talk", "send_reader_code"),
    ("messages", "after_talk", "send_creator_code"),
    ("jobs", "after_claim", "publish_scheduled"),
    ("jobs", "before_settle", "publish_scheduled"),
    ("jobs", "before_settle", "import_readers"),
    ("jobs", "before_settle", "look_up_batch"),
    ("jobs", "after_claim", "audit_mailing"),
)
_PROVIDER = ("accept_then_drop", "accept_then_500", "rate_limited", "refuse", "slow", "hang", "down")
#: The like by SMTP, in the words of `app.fakes.fault_of`.
_SMTP = (
    *("end drop kept", "end drop", "body drop", "DATA say 451 4.3.0 Later", "RCPT say 450 4.2.0 Later"),
    *("RCPT say 550 5.1.1 Nobody here", "MAIL drop", "greeting drop", "end slow 1.5", "end say 554 5.7.1 No"),
)
_RECEIVER: tuple[dict[str, Any], ...] = (
    {"status": 500},
    {"status": 503},
    {"status": 429, "retry_after": 1},
    {"status": 408},
    {"ending": "cut"},
    {"ending": "drop"},
    {"ending": "reset"},
    {"ending": "hang"},
    {"delay": 1.0},
)


def schedule(seed: int, seconds: float) -> tuple[Step, ...]:
    """Everything that is going to happen, in its order; the same for the same seed and length."""
    chance = random.Random(f"godwit chaos {seed}")
    steps: list[Step] = []
    for number, length in enumerate(rounds(seconds)):
        steps += _people(chance, number, length) + _faults(chance, number, length)
    return tuple(sorted(steps, key=lambda step: (step.round, step.at)))


def rounds(seconds: float) -> list[float]:
    """How long each round is: a minute, the last one what is left if that is 5 s or more."""
    whole, left = divmod(seconds, ROUND)
    return [ROUND] * int(whole) + ([left] if left >= 5 or not whole else [])


def steps_json(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """The schedule for a file."""
    return [asdict(step) for step in steps]


def _people(chance: random.Random, number: int, length: float) -> list[Step]:
    """Each publication mails its readers early in a round; the rest comes as it comes."""
    steps = [
        Step(number, round(0.5 + 0.7 * account, 3), "people", act, _act(chance, act) | {"account": account})
        for account in range(len(READERS))
        for act in ("publish", "broadcast")
    ]
    names, weights = list(PEOPLE), list(PEOPLE.values())
    at = 1.0
    while (at := at + chance.expovariate(PACE)) < length - CALM:
        act = chance.choices(names, weights)[0]
        steps.append(Step(number, round(at, 3), "people", act, _act(chance, act)))
    return steps


def _act(chance: random.Random, act: str) -> dict[str, Any]:
    told: dict[str, Any] = {
        "account": chance.choices(range(len(READERS)), (3, 2, 1))[0],
        "pick": round(chance.random(), 6),
        "n": chance.randrange(10**9),
    }
    if act in ("switch", "pause", "pause_endpoint", "schedule"):
        told["seconds"] = round(chance.uniform(1, 8), 3)
    if act == "switch":
        told["scope"] = chance.choice(("all", "bulk"))
    if act == "broadcast":
        told["undo_seconds"] = chance.choice((0, 0, 0, 3))
    if act == "unsubscribe":
        told["how"] = chance.choice(("link", "api"))
    return told


def _faults(chance: random.Random, number: int, length: float) -> list[Step]:
    steps: list[Step] = []
    names, weights = list(FAULTS), list(FAULTS.values())
    at = 1.5
    while (at := at + _until_next(chance)) < length - CALM:
        fault = chance.choices(names, weights)[0]
        told = _TOLD.get(fault, _nothing)(chance)
        steps.append(Step(number, round(at, 3), "fault", fault, told))
    return steps


def _until_next(chance: random.Random) -> float:
    if chance.random() < AT_ONCE:
        return chance.uniform(0.0, 0.2)
    return chance.uniform(0.3, 2 * BETWEEN - 0.3)


def _nothing(chance: random.Random) -> dict[str, Any]:
    return {}


def _down(least: float, most: float) -> Callable[[random.Random], dict[str, Any]]:
    def told(chance: random.Random) -> dict[str, Any]:
        return {"worker": chance.randrange(WORKERS), "seconds": round(chance.uniform(least, most), 3)}

    return told


def _failpoint(chance: random.Random) -> dict[str, Any]:
    place, at, job = chance.choice(_POINTS)
    # A frozen worker is woken before its lease is over, or long after it.
    seconds = chance.choice((1.0, 4.0, 14.0))
    return {
        "kind": chance.choice(("kill", "kill", "stop", "raise")),
        "at": at,
        "match": {"in": place, "job": job},
        "after": chance.choice((0, 0, 1, 3)),
        "seconds": seconds,
    }


def _provider(chance: random.Random) -> dict[str, Any]:
    kind, times = chance.choice(_PROVIDER), chance.choice((1, 1, 2, 4))
    told: dict[str, Any] = {"kind": kind, "times": times, "after": chance.choice((0, 2))}
    told["smtp"] = f"{times}x {chance.choice(_SMTP)}"
    return told | ({"delay": round(chance.uniform(0.2, 5), 3)} if kind == "slow" else {})


def _receiver(chance: random.Random) -> dict[str, Any]:
    return {
        **chance.choice(_RECEIVER),
        "path": chance.choice(("", "/steady", "/moody")),
        "times": chance.choice((1, 2, 5)),
    }


def _clock(chance: random.Random) -> dict[str, Any]:
    return {"advance": chance.choice((5, 60, 400))}


_TOLD: dict[str, Callable[[random.Random], dict[str, Any]]] = {
    "kill_worker": _down(0.1, 2.0),
    "stop_worker": _down(0.5, 14.0),
    "deploy_worker": _down(0.0, 0.5),
    "kill_web": _down(0.1, 1.0),
    "stop_web": _down(0.3, 6.0),
    "hold_open": _down(2.0, 12.0),
    "deploy_web": _down(0.0, 0.5),
    "crash_postgres": _down(0.0, 1.0),
    "kill_valkey": _down(0.2, 5.0),
    "failpoint": _failpoint,
    "provider": _provider,
    "receiver": _receiver,
    "clock": _clock,
}
