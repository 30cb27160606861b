"""What lies outside: a provider and receivers that do as the seed says, and remember what really happened.

What has left a process happens, whatever becomes of the process: an effect is an appointment of the clock's.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from app.egress import Answer, Lost, NotReached
from app.mail import Accepted, Mail, Misconfigured, Outcome, Record, Refused, Split, Throttled, Unknown
from app.mail import NotReached as NotHanded
from tests.simulation.ground import BEGAN, seconds_of

if TYPE_CHECKING:
    from tests.simulation.world import World

#: What a call may come to, and how often.
MOODS = {
    "accept": 10,
    "accept_then_silence": 3,
    "accept_then_error": 1,
    "accept_unrecorded": 1,
    "silence": 1,
    "throttle": 1,
    "unreached": 1,
    "refuse": 1,
    "slow": 3,
}
#: And how often in some worlds: a provider has its bad days.
MOODS_OF = {
    "usual": MOODS,
    "busy": MOODS | {"throttle": 10, "unreached": 4},
    "mute": MOODS | {"silence": 6, "accept_then_silence": 6},
    "slow": MOODS | {"slow": 12},
}
#: Statuses of a receiver, and how often; 0: nobody is there, 1: it takes it and never answers.
STATUSES = {200: 10, 500: 4, 429: 1, 404: 1, 0: 1, 1: 2}
STATUSES_OF = {"mute": STATUSES | {1: 10}, "slow": STATUSES | {1: 6}, "busy": STATUSES | {429: 8}}
LONGEST = 12.0


@dataclass(frozen=True)
class Kept:
    """A copy the provider took: `shown`: from when (virtual s) its record has it."""

    batch: UUID
    delivery: UUID
    to: str
    step: int
    shown: float


@dataclass(eq=False)
class Provider:
    """A provider whose record may be asked, or not."""

    world: "World"
    has_record: bool
    asked_at_once: bool
    batch_limit: int = 3
    name: str = "mailbox"
    patience: float = 0.0
    kept: list[Kept] = field(default_factory=list)

    async def deliver(
        self,
        mails: Sequence[Mail],
        *,
        batch_id: UUID,
        call_until: datetime,
        deadline: float | None = None,
    ) -> Outcome:
        """One call."""
        world = self.world
        await world.sim.turn(f"talk: hand over {len(mails)}")
        world.named(batch_id)
        mood = world.draw(MOODS_OF[world.plan.mood], "accept")
        world.note(f"the provider is asked to take {len(mails)}: {mood}")
        latency = LONGEST if mood == "slow" else world.rng.choice((0.0, 0.1, 3.0))
        if mood == "silence":
            await asyncio.sleep(1000)
        answer: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        nothing_kept: dict[str, Outcome] = {
            "unreached": NotHanded("nobody answered"),
            "throttle": Throttled("too fast"),
            "refuse": Refused("550 no such user") if len(mails) == 1 else Split("one of them is bad"),
        }

        def effect() -> None:
            if world.sim.loop.now >= seconds_of(call_until):
                _tell(answer, NotHanded("too late to begin"))
                return
            if mood in nothing_kept:
                _tell(answer, nothing_kept[mood])
                return
            shown = world.sim.loop.now
            if mood == "accept_unrecorded":
                shown = float("inf")
                world.evidence_later(batch_id)
            self.kept += [Kept(batch_id, m.delivery_id, m.to, world.sim.steps, shown) for m in mails]
            world.note(f"the provider took {len(mails)} of batch {str(batch_id)[-4:]}")
            if mood == "accept_then_error":
                _tell(answer, Unknown("500, and the line was closed"))
            elif mood not in ("accept_then_silence", "accept_unrecorded"):
                _tell(answer, Accepted())

        world.appoint(latency, effect)
        said = await answer
        await world.sim.turn("talk: the answer is read")
        return said

    async def look_up(self, batch_id: UUID, delivery_ids: Sequence[UUID], *, call_until: datetime) -> Record:
        """What the record shows by now."""
        await self.world.sim.turn("talk: look up")
        if self.world.draw({"whole": 4, "torn": 1}, "whole") == "torn":
            return Record(whole=False, sent=frozenset())
        now = self.world.sim.loop.now
        shown = {one.delivery for one in self.kept if one.batch == batch_id and one.shown <= now}
        return Record(whole=now >= seconds_of(call_until), sent=frozenset(shown & set(delivery_ids)))

    async def probe(self) -> Outcome:
        """A knock."""
        await self.world.sim.turn("talk: knock")
        said = self.world.draw({"in": 1, "out": 1}, "in")
        return Accepted() if said == "in" else Misconfigured("a wrong key")

    def hurry(self, seconds: float) -> None:
        """It never takes long."""

    async def aclose(self) -> None:
        """Nothing to give back."""


def _tell(answer: "asyncio.Future[Outcome]", said: Outcome) -> None:
    if not answer.done():
        answer.set_result(said)


@dataclass(frozen=True)
class Request:
    """What a receiver got."""

    url: str
    id: str
    body: bytes
    sequence: int
    redelivery: int

    @property
    def release(self) -> int | None:
        """The release it tells of."""
        return json.loads(self.body)["data"].get("release")


@dataclass(eq=False)
class Receivers:
    """All receivers of webhooks: the client that calls them."""

    world: "World"
    got: list[Request] = field(default_factory=list)

    async def post(
        self, target: Any, headers: list[tuple[str, str]], body: bytes, *, deadline: float,
        ready: Callable[[], Any], allow: Any = None,
    ) -> Answer:  # fmt: skip
        """As egress.Client.post: look at the lease, write at once, and wait for an answer until the
        deadline."""
        world, told, written = self.world, dict(headers), False
        try:
            async with asyncio.timeout_at(deadline):
                await world.sim.turn("talk: connect")
                world.sim.stir()
                status = world.draw(STATUSES_OF.get(world.plan.mood, STATUSES), 200)
                if status == 0:
                    raise NotReached("nobody is there")
                await ready()
                written = True
                self.got.append(
                    Request(
                        target.url, told["webhook-id"], body, int(told["godwit-sequence"]),
                        int(told.get("godwit-redelivery", "0")),
                    )
                )  # fmt: skip
                world.note(f"a receiver gets number {told['godwit-sequence']}: {status}")
                await asyncio.sleep(1000 if status == 1 else world.rng.choice((0.0, 0.2, 4.0)))
                await world.sim.turn("talk: the answer is read")
        except TimeoutError:
            raise (Lost if written else NotReached)("no answer in time") from None
        return Answer(status, {}, b"", False)


def moment(seconds: float) -> datetime:
    """The database's time of a virtual second."""
    return datetime.fromtimestamp(BEGAN.timestamp() + seconds, BEGAN.tzinfo)
