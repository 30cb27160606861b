"""Who was told of a published version: one reading of every delivery of it, for its page and its stream."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from app.base.database import Tx
from app.webhooks.particulars import abouts, last_errors
from app.webhooks.queries import Attempt, DeliveryLine, WholeDelivery, deliveries_of_release, delivery, untold
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
    """`untold`: its webhooks are about to be told. `names`: what they are called. `errors`: why a delivery
    that was skipped had not arrived before.

    Read at `now`; `version` only grows.
    """

    release: int
    lines: tuple[DeliveryLine, ...]
    untold: bool
    names: Mapping[UUID, str]
    errors: Mapping[UUID, str]
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

    @property
    def rows(self) -> tuple[tuple[DeliveryLine, tuple[DeliveryLine, ...]], ...]:
        """A row a webhook, by name: what was tried last, and what came of it before, newest first."""
        return tuple(
            (last, tuple(sorted(self._before(last), key=lambda line: -line.redelivery)))
            for last in sorted(self.newest, key=lambda line: (self.name(line).lower(), line.endpoint))
        )

    def _before(self, last: DeliveryLine) -> list[DeliveryLine]:
        return [line for line in self.lines if line.endpoint == last.endpoint and line.id != last.id]

    def host(self, line: DeliveryLine) -> str:
        """Where its webhook leads, when its name does not say it."""
        host = host_of(line.url)
        return "" if self.name(line) == host else host

    def name(self, line: DeliveryLine) -> str:
        """What the webhook of a delivery is called; where it led, when it was deleted since."""
        return self.names.get(line.endpoint) or host_of(line.url)

    def count(self, state: str) -> int:
        """How many webhooks of it are in a state."""
        return sum(line.state == state for line in self.newest)

    @property
    def figures(self) -> tuple[tuple[str, int], ...]:
        """How many webhooks are in which state, or `out`: being called now. They add up to all of them."""
        found = ["out" if line.out else line.state for line in self.newest]
        return tuple((one, found.count(one)) for one in (*DeliveryState, "out") if one in found)

    def shows_the_same(self, other: "Telling | None") -> bool:
        """Whether a page that shows `other` need not be repainted: nothing moved, nothing is due soon."""
        if other is None or (soon(self.lines, self.now) and elapsed(self.now, other.now)):
            return False
        return replace(self, version=other.version, now=other.now) == other


@dataclass(frozen=True)
class OneDelivery:
    """One delivery with its attempts, as it was read once at `now`. `version` only grows.

    `about`: a title or an address, or ''.
    """

    whole: WholeDelivery
    about: str
    version: int
    now: datetime

    @property
    def tries(self) -> tuple[Attempt, ...]:
        """The attempts at which somebody was called, or was to be; not those that were held before that."""
        return tuple(one for one in self.whole.attempts if one.outcome != "held")

    @property
    def last_error(self) -> str:
        """Why the last of them that failed did, or ''."""
        return next((one.error for one in reversed(self.tries) if one.error), "")

    @property
    def live(self) -> bool:
        """Whether more will come by itself."""
        return self.whole.line.state in OPEN

    def shows_the_same(self, other: "OneDelivery | None") -> bool:
        """Whether a page that shows `other` need not be repainted."""
        if other is None or (soon((self.whole.line,), self.now) and elapsed(self.now, other.now)):
            return False
        return self.whole == other.whole


async def read_telling(tx: Tx, release: int) -> Telling:
    """Who was told of the published version of this number, as it stands now."""
    lines = tuple(await deliveries_of_release(tx, release))
    names = {one.id: name_of(one) for one in await endpoints(tx)} if lines else {}
    skipped = [line.id for line in lines if line.state == "superseded" and line.attempts]
    errors = await last_errors(tx, skipped)
    return Telling(release, lines, await untold(tx, release), names, errors, *await instant(tx))


async def read_delivery(tx: Tx, delivery_id: UUID) -> OneDelivery:
    """One delivery as it stands now. Raises NotFound."""
    found = await delivery(tx, delivery_id)
    about = (await abouts(tx, [delivery_id])).get(delivery_id, "")
    return OneDelivery(found, about, *await instant(tx))


@dataclass(frozen=True)
class Trouble:
    """A webhook that needs somebody: switched off for `reason`, or (None) failing `failures` times in a row.

    `since`: if known. `name` with its host, where others are called the same.
    """

    id: UUID
    name: str
    reason: str | None
    since: datetime | None
    failures: int


async def troubles(tx: Tx) -> list[Trouble]:
    """Webhooks that switched themselves off, and those that failed several times in a row."""
    there = await endpoints(tx)
    return [
        Trouble(
            one.id,
            told_apart(one, there),
            one.reason if one.state == EndpointState.DISABLED else None,
            one.failing_since,
            one.failures,
        )
        for one in there
        if one.state == EndpointState.DISABLED or (one.state == EndpointState.ACTIVE and one.failures >= MANY)
    ]


async def instant(tx: Tx) -> tuple[int, datetime]:
    """A number that only grows, and the time, by the database's clock."""
    row: Any = await tx.row(_NOW)
    return row.version, row.now


def soon(lines: tuple[DeliveryLine, ...], now: datetime) -> bool:
    """Whether the next try of one is so near that a page tells how long until then."""
    return any(line.next_at is not None and line.next_at - now < timedelta(hours=1) for line in lines)


def elapsed(now: datetime, then: datetime) -> bool:
    """Whether what was said of that time `then` is to be said anew."""
    return now - then >= timedelta(seconds=TICK)


def name_of(endpoint: Endpoint) -> str:
    """What it is called: its description, or where it leads."""
    return endpoint.description or host_of(endpoint.url)


def told_apart(endpoint: Endpoint, among: Sequence[Endpoint]) -> str:
    """What it is called, with its host where others are called the same: `Slack (hooks.zapier.com)`."""
    name = name_of(endpoint)
    alike = sum(name_of(one) == name for one in among) > 1
    return f"{name} ({host_of(endpoint.url)})" if alike and endpoint.description else name


def host_of(url: str) -> str:
    """Where an address leads, without its path, which may be what it keeps secret: `api.netlify.com`."""
    return urlsplit(url).netloc
