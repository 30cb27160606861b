"""The bench `isolation`: a sign-in code and a public page beside very much else (E10, L9).

Rounds of four scenes, in one house whose processes are those that `godwit web` and `godwit worker` start.
Codes are asked for by creators and by readers of several publications, and pages are looked at, each at its
own time: in *quiet*; while very many readers are mailed and webhooks fail (*queues*); while processes that do
nothing take as much of the processor as all of that took, with nothing in the queues (*burners*); and while a
tool asks for a page as fast as it comes and readers are mailed (*hammered*). The provider is the mailbox:
what it is handed it writes into the same database, durably, which is harder on codes than one elsewhere.
"""

import asyncio
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

from app.base.database import Database
from app.proof.figures import Figure, Part, Rate, Scale
from app.proof.isolation_house import House, house
from app.proof.isolation_load import Copies, Failing, Press, calm, refusing
from app.proof.isolation_scenes import Scene, at_least, scene
from app.proof.orders import BurnOrder, BurnTally, Order, Tally
from app.proof.processes import at_work, running, told_by, web_process
from app.proof.writing import AS_PEOPLE_HAVE_IT, as_owner

#: Seconds for a code, and how many times what the same load alone costs.
_TARGET, _TIMES = 1.0, 2.0
#: In a round.
_SCENES = 4
#: Over which a tool asks for a page.
_CONNECTIONS = 32
#: Seconds: of the queues at least, of the burners at most, and of rest before a scene.
_SHORTEST, _LONGEST, _CALM = 2.0, 60.0, 6.0
#: Of a processor: processes that took less are played by one burner together.
_LITTLE = 0.005


@dataclass(frozen=True)
class Round:
    """One of each scene. `burnt`: what of a processor the burners took; `wanted`: what they were told to."""

    quiet: Scene
    queues: Scene
    burners: Scene
    copies: Copies
    tries: int
    burnt: float
    wanted: float
    hammered: Copies
    hammer: Tally


async def isolation(scale: Scale) -> Sequence[Figure | Rate]:
    """See the module."""
    web, owner = Database.for_role("web"), as_owner()
    try:
        async with AsyncExitStack() as stack:
            port = await stack.enter_async_context(web_process())
            receiver = await stack.enter_async_context(running("app.proof.failing"))
            place = await house(web, owner, port, scale)
            async with scene(place, 0, _SCENES * scale.times):  # the first of everything is slow once
                await at_least(_SHORTEST, time.monotonic())
            with refusing() as closed:
                rounds = [await _round(place, receiver, closed, n, scale) for n in range(scale.times)]
    finally:
        await web.close()
        await owner.close()
    return _figures(rounds, place)


async def _round(place: House, receiver: int, closed: int, n: int, scale: Scale) -> Round:
    still, scenes = min(_CALM, scale.seconds), _SCENES * scale.times
    await calm(place.owner, still)
    async with scene(place, _SCENES * n, scenes) as quiet:
        await at_least(scale.seconds, time.monotonic())
    failing = await Failing.added(place, receiver, closed, f"{n}")
    async with scene(place, _SCENES * n + 1, scenes) as queues:
        began = time.monotonic()
        press = await Press.made(place, f"Beside codes, {n}")
        copies = await press.copies()
        await at_least(_SHORTEST, began)
    tries = await failing.tries(place.owner)
    await failing.deleted(place)
    await calm(place.owner, still)
    duties = queues.beside(quiet)
    order = BurnOrder(
        [one for one in duties if one > _LITTLE] + [sum(one for one in duties if one <= _LITTLE)]
    )
    async with at_work("app.proof.burners", order, BurnTally) as end:
        async with scene(place, _SCENES * n + 2, scenes) as burners:
            await at_least(min(_LONGEST, queues.seconds), time.monotonic())
        burnt = await end()
    hammered, hammer = await _hammered(place, n, scale)
    await calm(place.owner, 0)
    return Round(
        quiet, queues, burners, copies, tries, burnt.took / burnt.seconds, sum(order.duties), hammered, hammer
    )


async def _hammered(place: House, n: int, scale: Scale) -> tuple[Copies, Tally]:
    """Copies while a tool asks for a page as fast as it comes; those after its end do not count."""
    press = await Press.made(place, f"Beside visitors, {n}")
    order = Order(place.port, place.site, [place.page], _CONNECTIONS, scale.seconds)
    tool = asyncio.create_task(told_by("app.proof.hammer", order, Tally, scale.seconds + 60))
    copies = await press.copies(tool.done)
    tally = await tool
    await press.finished()
    return copies, tally


def _figures(rounds: Sequence[Round], place: House) -> list[Figure | Rate]:
    return [*_codes(rounds, place), *(_pages(rounds, what, of) for what, of in _PLACES), *_copies(rounds)]


def _codes(rounds: Sequence[Round], place: House) -> list[Figure | Rate]:
    much = f"{place.readers:,} readers mailed and {place.failing:,} webhooks that fail"
    last = rounds[-1]
    burnt = _p(rounds, lambda one: one.burners.quantile(0.99))
    queues = _p(rounds, lambda one: one.queues.quantile(0.99))
    quiet = _p(rounds, lambda one: one.quiet.quantile(0.99))
    lost = sum(one.queues.lost for one in rounds)
    twice = round(_TIMES * statistics.median(burnt), 3)
    took = f"the burners took {last.burnt:.2f} of a processor, {last.wanted:.2f} were wanted"
    unanswered = [sum(one.burners.lost for one in rounds), sum(one.quiet.lost for one in rounds)]
    return [
        Figure(f"p99 of a sign-in code, beside {much}", queues, _TARGET, _told(last.queues), lost),
        Figure("the same, at most twice what the load alone costs", queues, twice, took, lost),
        Figure(
            "p99 of a code beside that load of the processor, nothing in the queues",
            burnt,
            None,
            f"{_told(last.burners)}; {took}",
            unanswered[0],
        ),
        Figure("p99 of a code in quiet", quiet, None, _told(last.quiet), unanswered[1]),
    ]


def _copies(rounds: Sequence[Round]) -> list[Figure | Rate]:
    last, hammer = rounds[-1], rounds[-1].hammer
    return [
        Rate(
            "copies accepted a second, beside these codes, pages and webhooks",
            _p(rounds, lambda one: one.copies.per_second),
            None,
            f"{last.copies.sent:,} copies to the mailbox, which is in the same database; {last.tries:,} calls"
            " of webhooks had failed by then",
        ),
        Rate(
            "copies accepted a second, while the site is hammered",
            _p(rounds, lambda one: one.hammered.per_second),
            None,
            f"{last.hammered.sent:,} copies beside {hammer.answers / hammer.seconds:,.0f} pages a second over"
            f" {_CONNECTIONS} connections, their p99 {hammer.p99 * 1000:.0f} ms, {hammer.failed:,} failed",
            sum(one.hammer.failed for one in rounds),
        ),
    ]


_PLACES: tuple[tuple[str, Callable[[Round], Scene]], ...] = (
    ("beside those queues", lambda one: one.queues),
    ("beside that load, nothing in the queues", lambda one: one.burners),
    ("in quiet", lambda one: one.quiet),
)


def _pages(rounds: Sequence[Round], what: str, of: Callable[[Round], Scene]) -> Figure:
    last = of(rounds[-1]).pages
    return Figure(
        f"p99 of a public page, {what}",
        _p(rounds, lambda one: of(one).pages.quantile(0.99)),
        None,
        f"{last.count:,} pages at their own time, each second one made anew;"
        f" median {last.quantile(0.5) * 1000:.1f} ms{_reasons([of(one) for one in rounds])}",
        sum(sum(of(one).failed.values()) for one in rounds),
    )


def _reasons(scenes: Sequence[Scene]) -> str:
    failed = Counter[int]()
    for one in scenes:
        failed.update(one.failed)
    return "".join(f", {times} × {f'status {one}' if one else 'lost'}" for one, times in failed.items())


def _told(one: Scene) -> str:
    """The last round's codes: by whom, where their time went, and how busy the machine was."""
    who = ", ".join(
        f"{name} {_both(one, queue=queue)}"
        for name, queue in (("creators", "codes_creators"), ("readers", "codes_readers"))
    )
    steps = ", ".join(
        f"{name} {_both(one, step=step)}"
        for name, step in (("queued", "made"), ("claimed", "claimed"), ("with the mailbox", "kept"))
    )
    answered = f"{one.answers.quantile(0.5) * 1000:.0f} / {one.answers.quantile(0.99) * 1000:.0f} ms"
    return (
        f"{len(one.codes):,} codes, {who} (median / p99); {steps}; the form was answered after {answered};"
        f" of the machine {one.busy:.2f} processors were busy, {one.ours:.2f} of them with this"
    )


def _both(one: Scene, *, step: str = "accepted", queue: str = "") -> str:
    median, most = (one.quantile(part, step=step, queue=queue) * 1000 for part in (0.5, 0.99))
    return f"{median:.0f} / {most:.0f} ms"


def _p(rounds: Sequence[Round], of: Callable[[Round], float]) -> tuple[float, ...]:
    return tuple(of(one) for one in rounds)


ISOLATION = (
    Part(
        "sign-in codes and public pages, beside much mail and webhooks that fail, and beside the same load",
        AS_PEOPLE_HAVE_IT,
        (None,),
        isolation,
        ("large", "posts", "accounts", "deliveries", "seconds", "times"),
    ),
)
