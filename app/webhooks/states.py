"""The states of an endpoint, and of a delivery: its job's, in the words of webhooks (view delivery_state).

An endpoint: active ◀──a person──▶ paused; either ──its answers──▶ disabled ──a person──▶ active.

A delivery, beside the moves of its job (jobs/states.py):

    pending ──tried──▶ retrying ──▶ delivered, or failed
       └─────────┴──its endpoint is not called──▶ held ──it is again──▶ pending, retrying
    each of these ──a newer release──▶ superseded, ──its endpoint is deleted──▶ failed
    failed ──an operator──▶ pending, retrying
"""

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


ENDPOINT_MOVES: dict[EndpointState, frozenset[EndpointState]] = {
    EndpointState.ACTIVE: frozenset({EndpointState.PAUSED, EndpointState.DISABLED}),
    EndpointState.PAUSED: frozenset({EndpointState.ACTIVE, EndpointState.DISABLED}),
    EndpointState.DISABLED: frozenset({EndpointState.ACTIVE}),
}
_ENDS = frozenset({DeliveryState.FAILED, DeliveryState.SUPERSEDED, DeliveryState.HELD})
DELIVERY_MOVES: dict[DeliveryState, frozenset[DeliveryState]] = {
    DeliveryState.PENDING: _ENDS | {DeliveryState.RETRYING, DeliveryState.DELIVERED},
    DeliveryState.RETRYING: _ENDS | {DeliveryState.DELIVERED},
    DeliveryState.HELD: frozenset(
        {DeliveryState.PENDING, DeliveryState.RETRYING, DeliveryState.FAILED, DeliveryState.SUPERSEDED}
    ),
    DeliveryState.FAILED: frozenset(
        {DeliveryState.PENDING, DeliveryState.RETRYING, DeliveryState.SUPERSEDED}
    ),
    DeliveryState.DELIVERED: frozenset(),
    DeliveryState.SUPERSEDED: frozenset(),
}


def before(state: EndpointState) -> list[str]:
    """The states from which an endpoint may come to be in this one, itself among them."""
    return [str(one) for one in EndpointState if one == state or state in ENDPOINT_MOVES[one]]
