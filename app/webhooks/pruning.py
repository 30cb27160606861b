"""What is long over goes."""

from dataclasses import dataclass

from app.jobs import job

#: Events a transaction.
PRUNED_AT_ONCE = 2000


@job("prune_webhooks", queue="housekeeping")
@dataclass(frozen=True)
class PruneWebhooks:
    """Remove old events with their deliveries, secrets that no longer sign, endpoints that were deleted."""
