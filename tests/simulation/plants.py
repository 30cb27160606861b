"""Faults planted by hand, one at a time: what the simulation must find if it is worth anything.

A plant changes the words of statements on their way to the server, a function's source in this process, or
the schema of the simulation's own database; never a file. `python -m tests.simulation.plant` plants each and
tells how many seeds it took. So many of its kind of world it took, the first that found it, and by what:

| planted                                            | seeds | first | found as                             |
| -------------------------------------------------- | ----- | ----- | ------------------------------------ |
| settle without the lease                           | 234   | 846   | E4 settled by who held it before     |
| cursor before rows (build)                         | 62    | 163   | L2 the build lost a reader           |
| lane not exclusive (index dropped too)             | 29    | 100   | E3 two of a lane leased at once      |
| retry of an unknown                                | 3     | 10    | L1 two copies, and nobody is told    |
| a ring lost between last look and exit (sweep off) | 86    | 992   | E2 a job is still ready              |
| rank checked at the enqueue only                   | 1     | 7     | E7 an older one begun after newer    |
| two last batches, finish only inside the settle    | 48    | 135   | E2 never quiet                       |
| a batch without call_until                         | 3     | 10    | E2 never quiet                       |
| late evidence ignored                              | 59    | 157   | L4 a copy left that counts as failed |

The first seed moves whenever the worlds or the product's statements do: `python -m tests.simulation.plant`
seeks it anew.
"""

import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from app.jobs import registry, runner
from app.ledger import build, delivery, jobs, reconciliation
from tests.simulation import kinds
from tests.simulation.run import Bench


@dataclass(frozen=True)
class Plant:
    """A fault.

    `words`: (old, new) in statements as the driver takes them; `source`: (owner, function, old, new) of the
    product; `ddl`, `undo`: in the database; `breaks`: the promises by which it may be found; `kind`: the
    worlds in which it can show; `seed`: the first that found it.
    """

    name: str
    breaks: tuple[str, ...]
    kind: str
    seed: int = 0
    words: tuple[tuple[str, str], ...] = ()
    source: tuple[tuple[Any, str, str, str], ...] = ()
    replaced: tuple[tuple[Any, Any], ...] = ()
    ddl: str = ""
    undo: str = ""


@dataclass
class Rewriter:
    """Changes the words; `hits` says how often each change applied."""

    words: tuple[tuple[str, str], ...]
    hits: dict[str, int] = field(default_factory=dict)

    def __call__(self, words: str) -> str:
        for old, new in self.words:
            if old in words:
                words = words.replace(old, new)
                self.hits[old] = self.hits.get(old, 0) + 1
        return words


@contextmanager
def planted(bench: Bench, plant: Plant) -> Iterator[Rewriter]:
    """While it is there."""
    rewriter = Rewriter(plant.words)
    bench.rewrite = rewriter
    with ExitStack() as stack:
        for owner, name in dict.fromkeys((owner, name) for owner, name, _, _ in plant.source):
            changes = [(old, new) for whose, what, old, new in plant.source if (whose, what) == (owner, name)]
            _put(stack, getattr(owner, name), _changed(getattr(owner, name), changes), owner)
        for old, made in plant.replaced:
            _put(stack, old, made, None)
        if plant.ddl:
            bench.control.run(plant.ddl)
        try:
            yield rewriter
        finally:
            bench.rewrite = lambda words: words
            if plant.undo:
                bench.ground.cleared({}, endpoint=False)
                bench.control.run(plant.undo)


def _put(stack: ExitStack, old: Any, made: Any, owner: Any) -> None:
    """In its class, or wherever a module or the registry has it."""
    if isinstance(owner, type):
        stack.enter_context(mock.patch.object(owner, old.__name__, made))
        return
    for name, module in list(sys.modules.items()):
        if name.startswith(("app.", "workers.", "tests.simulation.")):
            for here, what in list(vars(module).items()):
                if what is old:
                    stack.enter_context(mock.patch.object(module, here, made))
    for kind, handler in registry._handlers.items():
        if handler is old:
            stack.enter_context(mock.patch.dict(registry._handlers, {kind: made}))


def _changed(function: Callable[..., Any], changes: list[tuple[str, str]]) -> Any:
    source = textwrap.dedent(inspect.getsource(function))
    source = source[re.search(r"^(async )?def ", source, re.M).start() :]  # type: ignore[union-attr]
    for old, new in changes:
        assert old in source, f"{function.__qualname__} does not say {old!r} any more: plant it anew"
        source = source.replace(old, new)
    space: dict[str, Any] = {}
    words = compile(source, f"<planted in {function.__qualname__}>", "exec")
    exec(words, function.__globals__, space)  # noqa: S102
    return space[function.__name__]


async def _cursor_first(work: Any, args: Any) -> Any:
    """The cursor of the build is committed before the rows it passed."""
    from app.audiences import select_readers
    from app.jobs import Continue, Done

    audience = select_readers(args.newsletter_id)
    while not work.stopping:
        async with work.step() as tx:
            state = await tx.row(build._BUILDING, account=tx.account_id, mailing=args.mailing_id)
            if state is None:
                return Done()
            readers = audience.subquery("audience")
            following = build.select(readers.c.reader_id).order_by(readers.c.reader_id).limit(3)
            if state.build_cursor is not None:
                following = following.where(readers.c.reader_id > state.build_cursor)
            read = [row.reader_id for row in await tx.rows(following)]
            await tx.execute(
                build._MOVE, account=tx.account_id, mailing=args.mailing_id, cursor=state.build_cursor,
                read_to=read[-1] if read else None, done=False,
            )  # fmt: skip
        async with work.step() as tx:
            chunk = build._insert_chunk(tx, args.mailing_id, audience, state.build_cursor, 3)
            await tx.row(chunk)
            if len(read) < 3:
                await tx.execute(
                    build._MOVE, account=tx.account_id, mailing=args.mailing_id, done=True, read_to=None,
                    cursor=read[-1] if read else state.build_cursor,
                )  # fmt: skip
                return Done()
    return Continue()


_LANE_INDEX = """
create unique index job_one_of_lane on job (account_id, lane) where lane is not null and state = 'leased'
"""

PLANTS: tuple[Plant, ...] = (
    Plant(
        "settle without the lease",
        ("E4", "E6", "E2"),
        "jobs",
        seed=846,
        words=(("j.lease = e.lease", "true"),),
    ),
    Plant(
        "cursor before rows (build)",
        ("L2",),
        "mailing",
        seed=163,
        replaced=((kinds.build, _cursor_first),),
    ),
    Plant(
        "lane not exclusive",
        ("E3",),
        "jobs",
        seed=100,
        words=(("and out.lane = h.lane and out.state = 'leased'", "and out.lane = h.lane and false"),),
        ddl="drop index job_one_of_lane",
        undo=_LANE_INDEX,
    ),
    Plant(
        "retry of an unknown",
        ("L1", "L4"),
        "mailing",
        seed=10,
        source=(
            (
                delivery,
                "_settle",
                "await lose(tx, provider, batch.id, work.job.lease, outcome.reason)",
                "await tx.row(sql('app.ledger', 'settle'), account=tx.account_id, batch=batch.id,"
                " mailing=batch.mailing_id, lease=work.job.lease, batch_state='refused',"
                " send_state='planned',"
                " reason=outcome.reason, reference=None, shard=0)",
            ),
        ),
    ),
    Plant(
        "a ring lost between last look and exit (sweep off)",
        ("E2",),
        "bell",
        seed=992,
        source=(
            (runner.QueueLoop, "_wait", "    self._wake.clear()\n", "    pass\n"),
            (
                runner.QueueLoop,
                "run",
                "await self._wait(longest)",
                "self._wake.clear()\n        await self._wait(longest)",
            ),
        ),
    ),
    Plant(
        "rank checked at the enqueue only",
        ("E7",),
        "lanes",
        seed=7,
        words=(
            ("and (c.rank is null or c.rank = (", "and (true or c.rank = ("),
            ("where cast($1 as boolean) and", "where false and"),
            ("and j.rank < n.newest_rank", "and false"),
            ("and l.account_id = j.account_id and l.lane = j.lane and j.rank < l.newest_rank", "and false"),
        ),
    ),
    Plant(
        "two last batches that both think the other is not done",
        ("E2", "L10"),
        "mailing",
        seed=135,
        source=(
            (
                delivery,
                "_settle",
                "        if met.pauses_for:\n            await pause_for",
                "        await finish_in(tx, batch.mailing_id)\n        if met.pauses_for:\n"
                "            await pause_for",
            ),
            (
                delivery,
                "settle",
                "    await finish(work.database, work.job.account_id, batch.mailing_id)\n",
                "",
            ),
            (reconciliation, "sweep", "        await finish_in(tx, None)\n", ""),
            (
                jobs,
                "deliver_sends",
                "        await delivery.finish(work.database, work.job.account_id, permit.mailing_id)\n",
                "",
            ),
        ),
    ),
    Plant(
        "a batch without call_until",
        ("L10", "E2"),
        "mailing",
        seed=10,
        words=(
            ("where state = 'calling'\n      and case", "where false and state = 'calling'\n      and case"),
        ),
    ),
    Plant(
        "late evidence ignored",
        ("L1", "L4"),
        "mailing",
        seed=157,
        words=(
            ("s.state in ('sending', 'unknown', 'sent') and s.batch_id <>", "false and s.batch_id <>"),
            ("and l.was <> 'sent' and not l.elsewhere", "and l.was in ('sending', 'unknown')"),
        ),
    ),
)
