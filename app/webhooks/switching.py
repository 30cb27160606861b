"""How an endpoint stands: tries in a row that failed, and when that switches it off."""

from dataclasses import dataclass
from uuid import UUID

from app.base.database import Tx
from app.jobs import enqueue, job
from app.webhooks.roster import followed

#: Why a delivery waits.
PAUSED = "the webhook is paused"
OFF = "the webhook is switched off"
DELETED = "the webhook was deleted"

#: It is off once nothing was heard for so many days, or so many tries in a row, over an hour at least.
DAYS, TRIES = 3, 50

_SUCCEEDED = """
update endpoint set failures = 0, failing_since = null
where account_id = :account and id = :id and failures > 0
"""
_FAILED = """
update endpoint set failures = failures + 1, failing_since = coalesce(failing_since, godwit_now())
where account_id = :account and id = :id and deleted_at is null
returning failures, state,
          failing_since <= godwit_now() - make_interval(days => :days) as days_over,
          failing_since <= godwit_now() - interval '1 hour' as hour_over
"""
_OFF = """
update endpoint set state = 'disabled', reason = :reason
where account_id = :account and id = :id and deleted_at is null and state <> 'disabled'
returning url
"""


@job("endpoint_switched_off", queue="housekeeping")
@dataclass(frozen=True)
class EndpointSwitchedOff:
    """An endpoint is called no more, because of how it answered: its team is mailed (handled in accounts)."""

    endpoint_id: UUID
    url: str
    reason: str


async def note_success(tx: Tx, endpoint_id: UUID) -> None:
    """It answered: what failed before counts no more."""
    await tx.execute(_SUCCEEDED, account=tx.account_id, id=endpoint_id)


async def note_failure(tx: Tx, endpoint_id: UUID, why: str) -> None:
    """One more try failed; it may be the one that switches the endpoint off."""
    row = await tx.row(_FAILED, account=tx.account_id, id=endpoint_id, days=DAYS)
    if row is None or row.state == "disabled":
        return
    if row.days_over:
        await switch_off(tx, endpoint_id, f"Nothing was delivered for {DAYS} days. The last answer: {why}")
    elif row.failures >= TRIES and row.hour_over:
        await switch_off(tx, endpoint_id, f"{row.failures} tries in a row failed. The last: {why}")


async def switch_off(tx: Tx, endpoint_id: UUID, reason: str) -> None:
    """Call it no more: what waits is held, the team hears of it. Once, however many tries say so."""
    url = await tx.value(_OFF, account=tx.account_id, id=endpoint_id, reason=reason)
    if url is not None:
        await followed(tx, endpoint_id)
        await enqueue(tx, EndpointSwitchedOff(endpoint_id, url, reason))
