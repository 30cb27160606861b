"""Who was told of a published version: one reading of every delivery of it, for its page and its stream."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from app.base.database import Tx
from app.webhooks.queries import DeliveryLine, WholeDelivery, deliveries_of_release, delivery, untold
from app.webhooks.roster import Endpoint, endpoints
from app.webhooks.states import DeliveryState, EndpointState

_NOW = "select (extract(epoch from clock_timestamp()) * 1000)::bigint as version, godwit_now() as now"
#: Seconds after which a page that says “in 40 seconds” is told anew.
TICK = 10
#: Failures in a row from which on somebody should look.
MANY = 3
OPEN = (DeliveryState.PENDING, DeliveryState.RETRYING)


@dataclass(frozen=True)
class Telling:
    """`untold`: its webhooks are about to be told. `names`: what they are called.

    Read at `now`; `version` only grows.
    """

    release: int
    lines: tuple[DeliveryLine, ...]
    untold: bool
    names: Mapping[UUID, str]
    version: int
    now: datetime

    @property
    def live(self) -> bool:
        """Whether more will come by itself."""
        return self.untold or any(line.state in OPEN for line in self.lines)

    @property
    def state(self) -> str:
        """In a word: nobody, telling, told, or missed (some failed or wait for a person)."""
        if self.live:
            return "telling"
        if not self.lines:
            return "nobody"
        return (
            "missed"
            if any(line.state in (DeliveryState.FAILED, DeliveryState.HELD) for line in self.newest)
            else "told"
        )

    @property
    def newest(self) -> tuple[DeliveryLine, ...]:
        """Of each webhook what was tried last: a redelivery stands for what it repeats."""
        found = {
            line.endpoint: line for line in sorted(self.lines, key=lambda line: (line.redelivery, line.id))
        }
        return tuple(found.values())

    def name(self, line: DeliveryLine) -> str:
        """What the webhook of a delivery is called; where it led, when it was deleted since."""
        return self.names.get(line.endpoint) or host_of(line.url)

    def count(self, state: str) -> int:
        """How many webhooks of it are in a state."""
        return sum(line.state == state for line in self.newest)

    def shows_the_same(self, other: "Telling | None") -> bool:
        """Whether a page that shows `other` need not be repainted: nothing moved, nothing is due soon."""
        if other is None or (_soon(self.lines, self.now) and _elapsed(self.now, other.now)):
            return False
        return replace(self, version=other.version, now=other.now) == other


@dataclass(frozen=True)
class OneDelivery:
    """One delivery with its attempts, as it was read once at `now`. `version` only grows."""

    whole: WholeDelivery
    version: int
    now: datetime

    @property
    def live(self) -> bool:
        """Whether more will come by itself."""
        return self.whole.line.state in OPEN

    def shows_the_same(self, other: "OneDelivery | None") -> bool:
        """Whether a page that shows `other` need not be repainted."""
        if other is None or (_soon((self.whole.line,), self.now) and _elapsed(self.now, other.now)):
            return False
        return self.whole == other.whole


async def read_telling(tx: Tx, release: int) -> Telling:
    """Who was told of the published version of this number, as it stands now."""
    lines = tuple(await deliveries_of_release(tx, release))
    names = {one.id: name_of(one) for one in await endpoints(tx)} if lines else {}
    return Telling(release, lines, await untold(tx, release), names, *await instant(tx))


async def read_delivery(tx: Tx, delivery_id: UUID) -> OneDelivery:
    """One delivery as it stands now. Raises NotFound."""
    return OneDelivery(await delivery(tx, delivery_id), *await instant(tx))


@dataclass(frozen=True)
class Trouble:
    """A webhook that needs somebody: switched off for `reason`, or (None) failing. `since`: if known."""

    id: UUID
    name: str
    reason: str | None
    since: datetime | None


async def troubles(tx: Tx) -> list[Trouble]:
    """Webhooks that switched themselves off, and those that failed several times in a row."""
    return [
        Trouble(
            one.id,
            name_of(one),
            one.reason if one.state == EndpointState.DISABLED else None,
            one.failing_since,
        )
        for one in await endpoints(tx)
        if one.state == EndpointState.DISABLED or (one.state == EndpointState.ACTIVE and one.failures >= MANY)
    ]


async def instant(tx: Tx) -> tuple[int, datetime]:
    """A number that only grows, and the time, by the database's clock."""
    row: Any = await tx.row(_NOW)
    return row.version, row.now


def _soon(lines: tuple[DeliveryLine, ...], now: datetime) -> bool:
    return any(line.next_at is not None and line.next_at - now < timedelta(hours=1) for line in lines)


def _elapsed(now: datetime, then: datetime) -> bool:
    return now - then >= timedelta(seconds=TICK)


def name_of(endpoint: Endpoint) -> str:
    """What it is called: its description, or where it leads."""
    return endpoint.description or host_of(endpoint.url)


def host_of(url: str) -> str:
    """Where an address leads, without its path, which may be what it keeps secret: `api.netlify.com`."""
    return urlsplit(url).netloc
