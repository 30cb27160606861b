"""How an endpoint stands: tries in a row that failed or were put off, and when that switches it off."""

from dataclasses import dataclass
from uuid import UUID

from app.base.database import Tx
from app.jobs import enqueue, job
from app.webhooks.roster import followed

#: Why a delivery waits.
PAUSED = "the webhook is paused"
OFF = "the webhook is switched off"
DELETED = "the webhook was deleted"

#: It is off once nothing was heard for so many days and so many tries, as many as one delivery has in that
#: time; or once so many tries in a row failed, over an hour at least.
DAYS, FEW, TRIES = 3, 10, 50

# Each names the era of the call: what another address said, or the same before it was switched on again, does
# not count.
_SUCCEEDED = """
update endpoint set failures = 0, failing_since = null, unheard = 0, unheard_since = null
where account_id = :account and id = :id and era = :era and (failures > 0 or unheard > 0)
"""
_UNHEARD = """
update endpoint set unheard = unheard + 1, unheard_since = coalesce(unheard_since, godwit_now()),
    failures = failures + :failed,
    failing_since = case when failures + :failed > 0 then coalesce(failing_since, godwit_now()) end
where account_id = :account and id = :id and era = :era and deleted_at is null
returning failures, unheard, state,
          unheard_since <= godwit_now() - make_interval(days => :days) as days_over,
          failing_since <= godwit_now() - interval '1 hour' as hour_over
"""
_OFF = """
update endpoint set state = 'disabled', reason = :reason
where account_id = :account and id = :id and era = :era and deleted_at is null and state <> 'disabled'
returning url
"""


@job("endpoint_switched_off", queue="housekeeping")
@dataclass(frozen=True)
class EndpointSwitchedOff:
    """An endpoint is called no more, because of how it answered: its team is mailed (handled in accounts)."""

    endpoint_id: UUID
    url: str
    reason: str


async def note_success(tx: Tx, endpoint_id: UUID, era: int) -> None:
    """It answered: what failed before counts no more."""
    await tx.execute(_SUCCEEDED, account=tx.account_id, id=endpoint_id, era=era)


async def note_unheard(tx: Tx, endpoint_id: UUID, era: int, why: str, *, failed: bool) -> None:
    """One more try failed, or was put off; it may be the one that switches the endpoint off."""
    told = {"account": tx.account_id, "id": endpoint_id, "era": era, "days": DAYS, "failed": int(failed)}
    row = await tx.row(_UNHEARD, **told)
    if row is None or row.state == "disabled":
        return
    if row.days_over and row.unheard >= FEW:
        reason = f"Nothing was delivered for {DAYS} days. The last answer: {why}"
        await switch_off(tx, endpoint_id, era, reason)
    elif failed and row.failures >= TRIES and row.hour_over:
        await switch_off(tx, endpoint_id, era, f"{row.failures} tries in a row failed. The last: {why}")


async def switch_off(tx: Tx, endpoint_id: UUID, era: int, reason: str) -> None:
    """Call it no more: what waits is held, the team hears of it. Once, however many tries say so."""
    url = await tx.value(_OFF, account=tx.account_id, id=endpoint_id, era=era, reason=reason)
    if url is not None:
        await followed(tx, endpoint_id)
        await enqueue(tx, EndpointSwitchedOff(endpoint_id, url, reason))
