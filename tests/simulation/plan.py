"""What a seed stands for: a small world, what people do in it and when, and which faults strike where.

All of it is drawn at once and written down, so that a failing run can be repeated with less and less of it.
"""

import random
from dataclasses import dataclass

from tests.simulation.steps import Fault

#: Kinds of worlds, and how often each is drawn.
KINDS = {"jobs": 3, "lanes": 3, "mailing": 5, "bell": 1}
#: Faults fall among the first so many steps, or at one of the first few steps of a place.
EARLY = 350
PLACES = {
    "bell": ("Leases due jobs", "Only the holder", "commit"),
    "jobs": ("talk", "Only the holder of the lease settles", "commit"),
    "lanes": (
        "talk: connect",
        "the answer is read",
        "Which of these jobs",
        "Only the holder of the lease",
        "commit",
    ),
    "mailing": (
        "talk: hand over",
        "the answer is read",
        "What the provider said",
        "Nothing is handed",
        "INSERT INTO send",
        "commit",
    ),
}


@dataclass(frozen=True)
class Act:
    """Somebody does something at a virtual second. Acts of one `who` follow one another.

    `where`: and not before so many steps (`nth`) were made whose words hold this, if they come soon.
    """

    at: float
    who: int
    name: str
    args: tuple[object, ...] = ()
    where: str = ""
    nth: int = 1


@dataclass(frozen=True)
class Plan:
    """One seed, spelled out."""

    seed: int
    kind: str
    workers: int
    sticky: float
    readers: tuple[int, ...]
    acts: tuple[Act, ...]
    faults: tuple[Fault, ...]
    has_record: bool = True
    asked_at_once: bool = True
    mood: str = "usual"

    @property
    def queues(self) -> tuple[str, ...]:
        """The queues that are worked on."""
        if self.kind == "lanes":
            return ("webhooks",)
        return ("build",) if self.kind in ("jobs", "bell") else ("build", "sends", "housekeeping")


def drawn(seed: int) -> Plan:
    """The plan of a seed."""
    rng = random.Random(seed)
    kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
    workers = rng.choice((1, 2, 2, 3))
    acts = {"jobs": _jobs, "lanes": _lanes, "mailing": _mailing, "bell": _bell}[kind](rng)
    faults = () if kind == "bell" else _faults(rng, kind)
    readers = tuple(rng.randint(3, 9) for _ in range(rng.choice((1, 1, 2))))
    return Plan(
        seed=seed,
        kind=kind,
        workers=workers,
        sticky=rng.choice((0.0, 0.3, 0.7, 0.9)),
        readers=readers if kind == "mailing" else (0,),
        acts=tuple(sorted(acts, key=lambda act: act.at)),
        faults=faults,
        has_record=rng.random() < 0.7,
        asked_at_once=rng.random() < 0.6,
        mood=rng.choice(("usual", "usual", "usual", "busy", "mute", "slow")),
    )


def _faults(rng: random.Random, kind_of_world: str) -> tuple[Fault, ...]:
    kinds = ("kill", "kill", "freeze", "freeze", "freeze", "cut", "unheard", "stop", "stop")
    found: list[Fault] = []
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        kind, seconds = rng.choice(kinds), rng.choice((3.0, 15.0, 40.0, 90.0, 200.0))
        steps = rng.randint(1, 5) if kind == "freeze" and rng.random() < 0.6 else 0
        where = rng.choice(("", *PLACES[kind_of_world]))
        if kind == "stop" and rng.random() < 0.7:
            where = PLACES[kind_of_world][0]  # with a talk in hand
        at = rng.randint(3, rng.choice((60, 150, EARLY))) if not where else rng.randint(1, 8)
        found.append(Fault(at, kind, 0.0 if steps else seconds, steps, where))
    return tuple(found)


def _jobs(rng: random.Random) -> list[Act]:
    acts: list[Act] = []
    words = ["done", "done", "slow", "slow", "retry", "throttled", "refused", "unknown", "discard", "raise"]
    for n in range(rng.randint(3, 9)):
        outcomes = tuple(rng.choice(words) for _ in range(rng.choice((0, 1, 1, 2))))
        how = rng.choice(("try", "try", "held", "steps", "lane", "lane"))
        lane = f"lane{rng.randint(1, 2)}" if how == "lane" else ""
        rolled_back = rng.random() < 0.15
        later, expires = rng.choice((0, 0, 0, 5, 30)), rng.choice((0, 0, 0, 0, 20))
        args = (how, f"j{n}", outcomes, lane, rolled_back, later, expires, rng.randint(1, 2))
        acts.append(Act(rng.choice((0.0, 0.0, 1.0, 7.0)), rng.randint(1, 2), "put", args))
    if rng.random() < 0.5:  # the same key from two people
        acts.append(Act(0.0, 1, "put", ("try", "twice", (), "", False, 0, 0, 1)))
        acts.append(Act(0.0, 2, "put", ("try", "twice", (), "", False, 0, 0, 1)))
    if rng.random() < 0.3:
        acts.append(Act(rng.choice((1.0, 30.0)), 3, "flush"))
    return acts


def _bell(rng: random.Random) -> list[Act]:
    acts: list[Act] = []
    for n in range(rng.randint(2, 6)):
        lane = rng.choice(("", "lane1"))
        args = ("lane" if lane else "try", f"j{n}", (), lane, False, 0, 0, 1)
        where = rng.choice(("", *PLACES["bell"]))
        at, who = rng.choice((0.0, 0.01, 0.02, 0.5)), rng.randint(1, 3)
        acts.append(Act(at, who, "put", args, where, rng.randint(1, 3)))
    return acts


def _lanes(rng: random.Random) -> list[Act]:
    acts: list[Act] = []
    for n in range(1, rng.randint(2, 5) + 1):
        acts.append(Act(rng.choice((0.0, 0.0, 2.0, 20.0, 40.0)), 1, "publish", (n,)))
    for _ in range(rng.choice((0, 1, 2))):
        acts.append(Act(rng.choice((0.0, 3.0, 30.0)), 2, "tell"))
    for act in ("redeliver", "pause_endpoint", "resume_endpoint", "flush"):
        if rng.random() < 0.35:
            acts.append(Act(rng.choice((1.0, 5.0, 35.0, 60.0)), 3, act))
    return acts


def _mailing(rng: random.Random) -> list[Act]:
    acts = [Act(0.0, 1, "mail", (0,))]
    if rng.random() < 0.4:
        acts.append(Act(rng.choice((0.0, 4.0)), 1, "mail", (rng.randint(0, 1),)))
    names = (
        "unsubscribe_reader",
        "unsubscribe_reader",
        "suppress_reader",
        "pause",
        "resume",
        "cancel",
        "stop",
        "start",
        "retry",
    )
    for _ in range(rng.choice((0, 1, 2, 3, 4))):
        name = rng.choice((*names, "missing", "decide"))
        args = (rng.randint(0, 1), rng.randint(0, 1)) if name == "decide" else (rng.randint(1, 9),)
        at, who = rng.choice((0.0, 0.5, 3.0, 8.0, 20.0, 40.0, 70.0)), rng.randint(2, 3)
        where = rng.choice(("", *PLACES["mailing"]))
        acts.append(Act(at, who, name, args, where, rng.randint(1, 6)))
    return acts
