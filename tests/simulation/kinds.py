"""Kinds of job of the simulation: outcomes by order, work in steps, the build of a mailing."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from app import ledger
from app.audiences import select_readers
from app.jobs import (
    Continue,
    Discard,
    Done,
    Outcome,
    Refused,
    Retry,
    Scheduled,
    Throttled,
    Unknown,
    Work,
    handles,
    job,
)
from app.jobs.backoff import Backoff
from app.ledger import hears_of_mailings

QUEUE = "build"
#: The world at work; set by it.
world: Any = None


@job("test_sim_try", queue=QUEUE, tries=4, backoff=Backoff(first=5, most=20))
@dataclass(frozen=True)
class Try:
    """Answers these outcomes, one a try, then Done."""

    word: str
    outcomes: list[str]


@job("test_sim_held", queue=QUEUE, tries=4, on_unknown="held", backoff=Backoff(first=5, most=20))
@dataclass(frozen=True)
class TryHeld(Try):
    """The same, of a kind that is not tried again on a guess."""


@job("test_sim_steps", queue=QUEUE, tries=20, backoff=Backoff(first=5, most=20))
@dataclass(frozen=True)
class Steps:
    """Work in committed steps."""

    word: str
    steps: int


@job("test_sim_slot", queue=QUEUE, tries=20, backoff=Backoff(first=5, most=20))
@dataclass(frozen=True)
class Slot:
    """Work of every minute."""


@job("test_sim_build", queue="build", tries=20, backoff=Backoff(first=2, most=5))
@dataclass(frozen=True)
class Build:
    """Record the audience of a mailing."""

    mailing_id: UUID
    newsletter_id: UUID


@hears_of_mailings("test_sim_heard")
@job("test_sim_heard", queue="housekeeping", tries=20)
@dataclass(frozen=True)
class Heard:
    """What a mailing's source hears."""

    mailing_id: UUID
    change: str
    reason: str


@handles(Try)
@handles(TryHeld)
async def attempt(work: Work, args: Try) -> Outcome:
    """The outcome whose turn it is."""
    begun = world.began(work.job)
    await world.sim.turn(f"talk: {args.word}")
    said = args.outcomes[begun - 1] if begun <= len(args.outcomes) else "done"
    match said:
        case "retry":
            return Retry("it failed")
        case "throttled":
            return Throttled("too fast", after=20)
        case "refused":
            return Refused("never")
        case "unknown":
            return Unknown("no answer")
        case "discard":
            return Discard("not any more")
        case "slow":
            await world.doze()
        case "raise":
            raise ValueError("a bug")
    return Done()


@handles(Steps)
async def step(work: Work, args: Steps) -> Outcome:
    """A row a step."""
    world.began(work.job)
    while not work.stopping:
        async with work.step() as tx:
            n = await tx.value("select count(*) from sim.stepped where job = :job", job=work.job.id)
            if n >= args.steps:
                return Done()
            await tx.execute(
                "insert into sim.stepped values (:job, :n, :lease)",
                job=work.job.id,
                n=n,
                lease=work.job.lease,
            )
    return Continue()


@handles(Slot)
async def slot(work: Work, args: Slot) -> Outcome:
    """Nothing more."""
    world.began(work.job)
    await world.sim.turn("talk: a slot")
    return Done()


@handles(Build)
async def build(work: Work, args: Build) -> Outcome:
    """Chunk by chunk, as broadcasts do."""
    while not work.stopping:
        async with work.step() as tx:
            audience = select_readers(args.newsletter_id)
            recorded = await ledger.record_chunk(tx, args.mailing_id, audience, chunk=3)
        if recorded.done:
            return Done()
    return Continue()


@handles(Heard)
async def heard(work: Work, args: Heard) -> Outcome:
    """Nothing more."""
    return Done()


#: For workers/schedule.
SCHEDULE = (Scheduled("sim", every=timedelta(minutes=1), grace=timedelta(minutes=1), args=Slot()),)
