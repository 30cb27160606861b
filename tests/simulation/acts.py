"""What people do, each act in a transaction of its own, by the product's own functions."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy.exc import DBAPIError

from app import ledger, switches, webhooks
from app.audiences import select_readers
from app.base import ids
from app.base.database import Tx
from app.base.errors import Conflict, Forbidden, Invalid, NotFound, Unavailable
from app.jobs import enqueue
from app.readers import unsubscribe
from app.suppressions import suppress
from tests.simulation.ground import ACCOUNTS
from tests.simulation.kinds import Build, Steps, Try, TryHeld
from tests.simulation.lines import SimDatabase
from tests.simulation.outside import moment
from tests.simulation.plan import Act
from tests.simulation.steps import Process
from tests.simulation.world import Done, World

_DELIVERY = "select d.id from delivery d where d.account_id = :account order by d.created_at, d.id limit 1"


#: Virtual seconds that somebody waits for a step to be made.
SOON = 30.0


class _UndoneError(Exception):
    """Rolls an act back on purpose."""


@dataclass
class Person:
    """Somebody with a browser, and so a web process of their own."""

    world: World
    process: Process
    acts: list[Act]

    async def live(self) -> None:
        """One act after the other, each not before its time. What is refused is refused."""
        for act in self.acts:
            await self.world.sim.sleep_until(act.at)
            if act.where:
                await self.world.sim.met(act.where, act.nth, SOON)
            began = self.world.sim.steps
            try:
                what = await globals()[act.name](self, *act.args)
            except Unavailable as error:
                self.world.unsure.append(act)
                self.world.note(f"unsure: {act.name}: {error}")
                continue
            except (
                Conflict,
                NotFound,
                Invalid,
                Forbidden,
                DBAPIError,
                OSError,
                _UndoneError,
            ) as error:
                self.world.note(f"refused: {act.name}: {error}")
                continue
            self.world.done.append(Done(began, self.world.sim.steps, act.name, what))
            self.world.note(f"done: {act.name} {act.args}")

    async def act(self, account: int, do: Callable[[Tx], Awaitable[Any]]) -> Any:
        """Do it and commit."""
        async with SimDatabase(self.world.sim, "godwit_web", 1).transaction(account) as tx:
            return await do(tx)

    def mailing(self, n: int) -> tuple[int, UUID]:
        """One of the mailings begun. Raises NotFound."""
        if not self.world.mailings:
            raise NotFound("there is none yet")
        return self.world.mailings[n % len(self.world.mailings)]


def people(world: World) -> list["asyncio.Task[None]"]:
    """All who appear in the plan, at work."""
    found: list[asyncio.Task[None]] = []
    for who in sorted({act.who for act in world.plan.acts}):
        process = Process(f"p{who}")
        person = Person(world, process, [act for act in world.plan.acts if act.who == who])
        found.append(world.spawn(process, person.live))
    return found


async def put(
    person: Person, how: str, word: str, outcomes: Any, lane: str, rolled_back: bool, later: float,
    expires: float, share: int,
) -> object:  # fmt: skip
    """A job with its cause (E1), by a key (E5)."""
    kind = {"held": TryHeld, "steps": Steps}.get(how, Try)
    args = Steps(word, 3) if kind is Steps else kind(word, list(outcomes))
    now = person.world.sim.loop.now

    async def do(tx: Tx) -> None:
        await tx.execute("insert into sim.cause values (:key, :by)", key=word, by=person.process.name)
        await enqueue(
            tx,
            args,
            key=word,
            lane=lane or None,
            share=f"{share}",
            run_at=moment(now + later) if later else None,
            expires_at=moment(now + later + expires) if expires else None,
        )
        if rolled_back:
            raise _UndoneError

    await person.act(ACCOUNTS[0], do)
    return word


async def flush(person: Person) -> None:
    """Redis loses all it had."""
    person.world.flush()


async def publish(person: Person, n: int) -> int:
    """A release is out."""
    news = webhooks.News("release.published", {"release": n}, release=n)
    await person.act(ACCOUNTS[0], lambda tx: webhooks.announce(tx, news))
    return n


async def tell(person: Person) -> None:
    """Another event."""
    news = webhooks.News("post.published", {"post": {"title": "One"}})
    await person.act(ACCOUNTS[0], lambda tx: webhooks.announce(tx, news))


async def redeliver(person: Person) -> None:
    """The first delivery once more."""

    async def do(tx: Tx) -> None:
        first = await tx.value(_DELIVERY, account=tx.account_id)
        if first is None:
            raise NotFound("there is none yet")
        await webhooks.redeliver(tx, [first])

    await person.act(ACCOUNTS[0], do)


async def pause_endpoint(person: Person) -> None:
    """Calls stop."""
    await person.act(ACCOUNTS[0], lambda tx: webhooks.pause_endpoint(tx, _endpoint(person)))


async def resume_endpoint(person: Person) -> None:
    """Calls go on."""
    await person.act(ACCOUNTS[0], lambda tx: webhooks.resume_endpoint(tx, _endpoint(person)))


def _endpoint(person: Person) -> UUID:
    assert person.world.ground.endpoint is not None
    return person.world.ground.endpoint


async def mail(person: Person, n: int) -> tuple[int, UUID]:
    """A mailing and its build, committed together."""
    world = person.world
    accounts = world.ground.accounts[: len(world.plan.readers)]
    account = accounts[n % len(accounts)]
    newsletter = world.ground.newsletters[account]

    async def do(tx: Tx) -> UUID:
        begun = await ledger.start_mailing(
            tx,
            ledger.NewMailing(
                source_kind="test",
                source_id=ids.new(),
                newsletter_id=newsletter,
                sender="Tidelines <letters@example.org>",
                reply_to=None,
                subject="News",
                text="Hello",
                html="<p>Hello</p>",
                site_url="http://tidelines.localhost",
                on_change="test_sim_heard",
            ),
        )
        await enqueue(tx, Build(begun.id, newsletter))
        return begun.id

    mailing = await person.act(account, do)
    world.mailings.append((account, mailing))
    return account, mailing


async def unsubscribe_reader(person: Person, n: int) -> tuple[int, UUID]:
    """A reader leaves."""
    account = person.world.ground.accounts[0]
    reader = person.world.ground.reader(account, n)
    await person.act(account, lambda tx: unsubscribe(tx, reader, None, "By a button."))
    return account, reader


async def suppress_reader(person: Person, n: int) -> tuple[int, UUID]:
    """An address is blocked."""
    account = person.world.ground.accounts[0]
    await person.act(account, lambda tx: suppress(tx, f"r{n}@example.com", "bounce", "it came back"))
    return account, person.world.ground.reader(account, n)


async def pause(person: Person, n: int) -> UUID:
    """A mailing rests."""
    account, mailing = person.mailing(n)
    await person.act(account, lambda tx: ledger.pause(tx, mailing, "Ana"))
    return mailing


async def resume(person: Person, n: int) -> UUID:
    """And goes on, with its build if that was not done."""
    account, mailing = person.mailing(n)

    async def do(tx: Tx) -> None:
        resumed = await ledger.resume(tx, mailing)
        if resumed.state == "building":
            await enqueue(tx, Build(mailing, person.world.ground.newsletters[account]))

    await person.act(account, do)
    return mailing


async def cancel(person: Person, n: int) -> UUID:
    """A mailing is over."""
    account, mailing = person.mailing(n)
    await person.act(account, lambda tx: ledger.cancel(tx, mailing, "Ana"))
    return mailing


async def retry(person: Person, n: int) -> UUID:
    """What failed again."""
    account, mailing = person.mailing(n)
    await person.act(account, lambda tx: ledger.retry_failed(tx, mailing))
    return mailing


async def missing(person: Person, n: int) -> UUID:
    """Who has no copy gets one."""
    account, mailing = person.mailing(n)
    readers = select_readers(person.world.ground.newsletters[account])
    await person.act(account, lambda tx: ledger.send_to_missing(tx, mailing, readers))
    return mailing


async def decide(person: Person, n: int, arrived: int) -> tuple[UUID, int]:
    """What is unsure is settled by a person."""
    account, mailing = person.mailing(n)
    recorded = person.world.provider.has_record
    become = "sent" if arrived else "planned"
    await person.act(
        account,
        lambda tx: ledger.decide(tx, mailing, become, None, by="Ana", recorded=recorded),  # type: ignore[arg-type]
    )
    return mailing, arrived


async def stop(person: Person, n: int) -> int:
    """All mail of the account stops."""
    account = person.world.ground.accounts[0]
    await person.act(account, lambda tx: switches.stop(tx, scope="all", reason="Stop.", by="Ana"))
    return account


async def start(person: Person, n: int) -> int:
    """And goes again."""
    account = person.world.ground.accounts[0]

    async def do(tx: Tx) -> None:
        await switches.start(tx, reason="Go.", by="Ana")
        await switches.let_go(tx, by="Ana")

    await person.act(account, do)
    return account
