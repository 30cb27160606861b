"""Making jobs, in the transaction of their cause (E1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from app.base import telemetry
from app.base.database import Tx
from app.base.statements import sql
from app.jobs import bell
from app.jobs.registry import Kind, encoded, kind_of


@dataclass(frozen=True)
class Order:
    """One job to make. `key`: made once for ever (E5); `share`: whose turn it counts as.

    `lane`: one by one, in the order they were made; with a `rank` (a number that grows, such as a release's)
    only the newest goes, and older ones become superseded. The jobs of a lane have one queue and one share.
    `tries`: how often it is tried, where that is not its kind's.
    """

    args: object
    key: str | None = None
    run_at: datetime | None = None
    expires_at: datetime | None = None
    share: str | None = None
    lane: str | None = None
    rank: int | None = None
    tries: int | None = None


class _Row(msgspec.Struct, omit_defaults=True, gc=False):
    """An order as its statement reads it; what is not there is null.

    The collector of garbage does not count it: a thousand dicts had it walk through the whole heap, which was
    more than half of what making them cost this process.
    """

    queue: str
    kind: str
    args: object
    version: int
    max_attempts: int
    on_unknown: str
    secrets: tuple[str, ...] = ()
    share: str | None = None
    key: str | None = None
    run_at: datetime | None = None
    expires_at: datetime | None = None
    lane: str | None = None
    rank: int | None = None


async def enqueue(
    tx: Tx,
    args: object,
    *,
    key: str | None = None,
    run_at: datetime | None = None,
    expires_at: datetime | None = None,
    share: str | None = None,
    lane: str | None = None,
    rank: int | None = None,
) -> int | None:
    """Make a job of the transaction's account (see Order). Answers its id, or None when the key is known."""
    made = await enqueue_many(tx, [Order(args, key, run_at, expires_at, share, lane, rank)])
    return made[0] if made else None


async def enqueue_many(tx: Tx, orders: Sequence[Order]) -> list[int]:
    """Make many jobs in one statement; answers the ids of those that are new."""
    if not orders:
        return []
    assert tx.account_id is not None, "a job belongs to an account; see enqueue_platform"
    kinds = [kind_of(order.args) for order in orders]
    rows = await tx.rows(
        sql(__package__, "enqueue"),
        account=tx.account_id,
        orders=[_row(order, kind) for order, kind in zip(orders, kinds, strict=True)],
        cause=telemetry.cause.get(),
    )
    ring_for(tx, {kind.queue for kind in kinds})
    return [row[0] for row in rows]


async def enqueue_platform(
    tx: Tx, args: object, *, key: str | None = None, expires_at: datetime | None = None
) -> int | None:
    """Make a job of the platform (account 0), for edges that have no account, such as sign-in."""
    kind = kind_of(args)
    made = await tx.value(
        "select enqueue_platform(cast(:queue as text), cast(:kind as text), cast(:args as jsonb), :version,"
        " cast(:secrets as text[]), cast(:key as text), null, cast(:expires as timestamptz), :tries,"
        " cast(:on_unknown as text), cast(:cause as text))",
        queue=kind.queue,
        kind=kind.name,
        args=encoded(args),
        version=kind.version,
        secrets=list(kind.secrets),
        key=key,
        expires=expires_at,
        tries=kind.tries,
        on_unknown=kind.on_unknown,
        cause=telemetry.cause.get(),
    )
    ring_for(tx, {kind.queue})
    return made


def _row(order: Order, kind: Kind) -> _Row:
    return _Row(
        kind.queue,
        kind.name,
        order.args,
        kind.version,
        order.tries or kind.tries,
        kind.on_unknown,
        kind.secrets,
        order.share,
        order.key,
        order.run_at,
        order.expires_at,
        order.lane,
        order.rank,
    )


def ring_for(tx: Tx, queues: set[str]) -> None:
    """Ring the bell of each queue once this transaction is committed."""

    async def ring() -> None:
        for queue in sorted(queues):
            await bell.ring(queue)

    tx.after_commit(ring)
