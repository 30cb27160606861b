"""The states of an endpoint, and of a delivery: its job's, in the words of webhooks (view delivery_state)."""

from enum import StrEnum


class EndpointState(StrEnum):
    """Whether an endpoint is called. Disabled: it switched itself off by its answers; the reason says how."""

    ACTIVE = "active"
    PAUSED = "paused"
    DISABLED = "disabled"


class DeliveryState(StrEnum):
    """Where one delivery is. Superseded: a newer release goes instead."""

    PENDING = "pending"
    RETRYING = "retrying"
    DELIVERED = "delivered"
    FAILED = "failed"
    SUPERSEDED = "superseded"
    HELD = "held"
