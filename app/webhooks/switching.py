"""Endpoints that switch themselves off by their answers, and the news of it."""

from dataclasses import dataclass
from uuid import UUID

from app.jobs import job


@job("endpoint_switched_off", queue="housekeeping")
@dataclass(frozen=True)
class EndpointSwitchedOff:
    """An endpoint is called no more, because of how it answered: its team is mailed (handled in accounts)."""

    endpoint_id: UUID
    url: str
    reason: str
