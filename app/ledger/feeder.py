"""The feeder: each second, one process grants permits to open mailings, fairly.

A permit is a `deliver_sends` job: leave to hand over n copies of one mailing. Granted and
unused leave never exceeds two seconds' worth, so that a change of mind bites quickly; a
bucket at the call guards the rate itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from app.base.database import Database, Tx
from app.base.settings import settings
from app.base.statements import sql
from app.jobs import QUEUES, Order, enqueue_many, job
from app.mail import standing_refusal

#: With no rate set, so many batches a handler slot may be granted ahead.
BATCHES_AHEAD = 4
FEED_LOCK = 7_265_011
K = TypeVar("K")


@job("deliver_sends", queue="sends", tries=100)
@dataclass(frozen=True)
class DeliverSends:
    """A permit: hand over up to `n` planned copies of a mailing."""

    mailing_id: UUID
    n: int


@dataclass(frozen=True)
class Demand:
    """What one mailing wants: `planned` copies, leave `granted` and unused, leave `waiting` for its time.

    What the provider put off holds no part of the budget: it waits, and others go on (E10).
    """

    account_id: int
    mailing_id: UUID
    planned: int
    granted: int
    send_rate: float | None
    waiting: int = 0

    @property
    def wanted(self) -> int:
        """Copies that no permit covers yet."""
        return max(0, self.planned - self.granted - self.waiting)


async def feed(database: Database) -> set[str]:
    """One round. Answers the queues that got work; nothing when another process holds the round,
    or the provider refuses us.
    """
    async with database.transaction() as tx:
        if not await tx.value("select pg_try_advisory_xact_lock(:lock)", lock=FEED_LOCK):
            return set()
        if await standing_refusal(tx):
            return set()
        demands = [
            Demand(
                row.account_id,
                row.mailing_id,
                int(row.planned),
                int(row.granted),
                row.send_rate,
                int(row.waiting),
            )
            for row in await tx.rows(sql(__package__, "demands"))
        ]
        budget = _budget(sum(demand.granted for demand in demands))
        grants = share_out(budget, demands)
        await _grant(tx, {demand.mailing_id: demand.account_id for demand in demands}, grants)
    return {"sends"} if grants else set()


def _budget(granted: int) -> int:
    """How many copies may be granted now, over all accounts."""
    sending = settings().sending
    if sending.rate == 0:
        return max(0, QUEUES["sends"] * BATCHES_AHEAD * sending.batch - granted)
    a_second, ahead = max(1, round(sending.rate)), max(1, round(2 * sending.rate))
    return max(0, min(a_second, ahead - granted))


def share_out(budget: int, demands: list[Demand]) -> dict[UUID, int]:
    """Max-min fairness over accounts, then over each one's mailings (L9).

    Nobody gets more than they want; what a small one leaves goes to the others in equal parts. Leave that is
    out already counts.
    """
    by_account: dict[int, list[Demand]] = {}
    for demand in demands:
        by_account.setdefault(demand.account_id, []).append(demand)
    wants = {
        account: _capped(
            sum(demand.wanted for demand in of_account),
            sum(demand.granted for demand in of_account),
            of_account[0].send_rate,
        )
        for account, of_account in by_account.items()
    }
    held = {
        account: sum(demand.granted for demand in of_account) for account, of_account in by_account.items()
    }
    grants: dict[UUID, int] = {}
    for account, share in _fair(budget, wants, held).items():
        mine = {demand.mailing_id: demand.wanted for demand in by_account[account]}
        grants |= _fair(share, mine, {demand.mailing_id: demand.granted for demand in by_account[account]})
    return {mailing: n for mailing, n in grants.items() if n > 0}


def _capped(wanted: int, granted: int, send_rate: float | None) -> int:
    """An account's own rate: a second's worth a round, and never more than two seconds' worth out."""
    if send_rate is None:
        return wanted
    a_second, ahead = max(1, round(send_rate)), max(1, round(2 * send_rate))
    return max(0, min(wanted, a_second, ahead - granted))


def _fair(budget: int, wants: Mapping[K, int], held: Mapping[K, int]) -> dict[K, int]:
    """Water-filling: raise everybody to one level of leave, what they hold included, as far as it goes.

    Who begins later holds nothing yet, and so comes before those with leave to spare.
    """

    def filled(level: int) -> dict[K, int]:
        return {key: max(0, min(want, level - held[key])) for key, want in wants.items()}

    low, high = 0, max((held[key] + want for key, want in wants.items()), default=0)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(filled(middle).values()) <= budget:
            low = middle
        else:
            high = middle - 1
    given = filled(low)
    left = budget - sum(given.values())
    for key, more in filled(low + 1).items():
        if left > 0 and more > given[key]:
            given[key], left = more, left - 1
    return given


async def _grant(tx: Tx, accounts: Mapping[UUID, int], grants: Mapping[UUID, int]) -> None:
    batch = settings().sending.batch
    for mailing_id, n in grants.items():
        orders = [Order(DeliverSends(mailing_id, min(batch, n - begun))) for begun in range(0, n, batch)]
        await tx.enter_account(accounts[mailing_id])
        await enqueue_many(tx, orders)
