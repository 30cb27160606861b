"""What the API says of webhooks and their deliveries."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct, structs

from app.webhooks.queries import Attempt, DeliveryLine, WholeDelivery
from app.webhooks.roster import Endpoint


class EndpointItem(Struct):
    """A webhook. `events`: types, or `*` for all. `state`: active, paused, or disabled, for `reason`.

    `failures` in a row, since `failing_since`. `old_secret_until`: until then the secret before the present
    one signs too.
    """

    id: str
    url: str
    events: list[str]
    description: str
    state: str
    reason: str | None
    created_at: datetime
    failures: int
    failing_since: datetime | None
    last_delivered_at: datetime | None
    old_secret_until: datetime | None


class EndpointMade(EndpointItem):
    """A webhook with its `secret`, told in this answer alone: null when it is repeated under its key.

    `warning`: what to know of its address; null when all is well with it.
    """

    secret: str | None
    warning: str | None


class EndpointChanged(EndpointItem):
    """A webhook as it is now. `warning`: what to know of its new address; null when all is well with it."""

    warning: str | None


class EndpointList(Struct):
    """Webhooks, newest first, and the cursor of the next page."""

    items: list[EndpointItem]
    next: str | None


class DeliveryItem(Struct):
    """One event on its way to one webhook, `endpoint`. `event` is what the receiver knows it by.

    `state`: pending, retrying (at `next_at`), delivered, failed, superseded (by a newer release) or held;
    `reason` says why. `redelivery`: the how-many-th time that somebody asked for; 0: nobody had to.
    """

    id: str
    event: str
    type: str
    sequence: int
    release: int | None
    endpoint: str
    state: str
    reason: str | None
    attempts: int
    next_at: datetime | None
    created_at: datetime
    delivered_at: datetime | None
    redelivery: int


class AttemptItem(Struct):
    """One try. `status` is that of the answer, `answer` its beginning, `error` why none, or none good, came.

    `outcome`: done, retry, throttled, refused or lost.
    """

    number: int
    started_at: datetime
    duration_ms: int
    outcome: str
    status: int | None
    error: str | None
    answer: str | None


class WholeDeliveryItem(Struct):
    """A delivery with its tries, oldest first, and the `body` that each of them sends."""

    id: str
    event: str
    type: str
    sequence: int
    release: int | None
    endpoint: str
    state: str
    reason: str | None
    attempts: list[AttemptItem]
    next_at: datetime | None
    created_at: datetime
    delivered_at: datetime | None
    redelivery: int
    body: str


class DeliveryPageItem(Struct):
    """Deliveries, newest first, and the cursor of the next page."""

    items: list[DeliveryItem]
    next: str | None


def endpoint_item(one: Endpoint) -> EndpointItem:
    """The representation of a webhook."""
    return EndpointItem(
        id=str(one.id),
        url=one.url,
        events=list(one.events),
        description=one.description,
        state=one.state,
        reason=one.reason,
        created_at=one.created_at,
        failures=one.failures,
        failing_since=one.failing_since,
        last_delivered_at=one.last_delivered_at,
        old_secret_until=one.secrets[1].expires_at if len(one.secrets) > 1 else None,
    )


def endpoint_made(one: Endpoint, secret: str, warning: str) -> EndpointMade:
    """The same with its secret, this once."""
    return EndpointMade(**structs.asdict(endpoint_item(one)), secret=secret, warning=warning or None)


def endpoint_changed(one: Endpoint, warning: str) -> EndpointChanged:
    """The same after a change."""
    return EndpointChanged(**structs.asdict(endpoint_item(one)), warning=warning or None)


def delivery_item(line: DeliveryLine) -> DeliveryItem:
    """The representation of a delivery."""
    return DeliveryItem(
        id=str(line.id),
        event=line.event,
        type=line.type,
        sequence=line.sequence,
        release=line.release,
        endpoint=str(line.endpoint),
        state=line.state,
        reason=line.reason,
        attempts=line.attempts,
        next_at=line.next_at,
        created_at=line.created_at,
        delivered_at=line.delivered_at,
        redelivery=line.redelivery,
    )


def whole_delivery(whole: WholeDelivery) -> WholeDeliveryItem:
    """The same with its tries."""
    told: dict[str, Any] = structs.asdict(delivery_item(whole.line))
    told["attempts"] = _attempts(whole.attempts)
    return WholeDeliveryItem(**told, body=whole.body.decode("utf-8", "replace"))


def _attempts(tried: Sequence[Attempt]) -> list[AttemptItem]:
    return [
        AttemptItem(
            one.number, one.started_at, one.duration_ms, one.outcome, one.status, one.error, one.answer
        )
        for one in tried
    ]


class Timed(Struct, forbid_unknown_fields=True):
    """For how long (hours, 0 to 168) the present secret goes on signing beside the new one."""

    overlap_hours: int = msgspec.field(default=24)
