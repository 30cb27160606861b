"""What the pages of webhooks show: frozen, and made of nothing but what was read."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlencode
from uuid import UUID

import msgspec

from app.webhooks.catalogue import ALL, TEST, TYPES, chosen_words, happened
from app.webhooks.entrance import Desk
from app.webhooks.picture import Health
from app.webhooks.presets import expects_its_own
from app.webhooks.queries import DeliveryLine
from app.webhooks.roster import Endpoint
from app.webhooks.secrets import SecretLine
from app.webhooks.states import DeliveryState, EndpointState
from app.webhooks.telling import OneDelivery, elapsed, host_of, name_of, soon

#: The place of these pages in the studio's navigation.
SECTION = "webhooks"


def list_url(desk: Desk) -> str:
    """The address of the list."""
    return desk.url("endpoints")


@dataclass(frozen=True)
class ListPage:
    """Every webhook of the account, newest first.

    `retrying`, `given_up`: deliveries of those that fail, to be tried again and not.
    """

    url: str
    endpoints: tuple[Endpoint, ...]
    retrying: int = 0
    given_up: int = 0

    @property
    def off(self) -> int:
        """How many switched themselves off."""
        return sum(one.state == EndpointState.DISABLED for one in self.endpoints)

    @property
    def failing(self) -> int:
        """How many are on and did not answer as they should the last time."""
        return sum(one.state == EndpointState.ACTIVE and one.failures > 0 for one in self.endpoints)

    @property
    def paused(self) -> int:
        """How many somebody paused."""
        return sum(one.state == EndpointState.PAUSED for one in self.endpoints)

    @property
    def untold(self) -> int:
        """How many are on and took nothing yet."""
        return sum(
            one.state == EndpointState.ACTIVE and not one.failures and one.last_delivered_at is None
            for one in self.endpoints
        )

    @property
    def well(self) -> int:
        """How many are on and took what came last."""
        return len(self.endpoints) - self.off - self.failing - self.paused - self.untold

    def name_of(self, endpoint: Endpoint) -> str:
        """What it is called."""
        return name_of(endpoint)

    def host_of(self, endpoint: Endpoint) -> str:
        """Where it leads."""
        return host_of(endpoint.url)

    def told(self, endpoint: Endpoint) -> str:
        """What it is told, in a few words."""
        return chosen_words(endpoint.events)


@dataclass(frozen=True)
class EndpointPage:
    """One webhook, its health, and a page of its deliveries: those of a state, type and release, if asked.

    `first`: there are newer ones before this page; `older` is the cursor of the next one, or ''. `abouts`:
    what a delivery was about; `errors`: why one that was skipped had not arrived; `given_up_at`: when the
    last one was.
    """

    list_url: str
    releases_url: str
    endpoint: Endpoint
    counts: Mapping[str, int]
    health: Health
    lines: tuple[DeliveryLine, ...]
    state: str
    type: str
    release: str
    first: bool
    older: str
    abouts: Mapping[UUID, str]
    errors: Mapping[UUID, str]
    given_up_at: datetime | None
    version: int
    now: datetime

    @property
    def url(self) -> str:
        """Its own address."""
        return f"{self.list_url}/{self.endpoint.id}"

    @property
    def name(self) -> str:
        """What it is called."""
        return name_of(self.endpoint)

    @property
    def host(self) -> str:
        """Where it leads."""
        return host_of(self.endpoint.url)

    @property
    def told(self) -> str:
        """What it is told, in a few words."""
        return chosen_words(self.endpoint.events)

    @property
    def everything(self) -> bool:
        """Whether it is told all there is."""
        return ALL in self.endpoint.events

    @property
    def own_form(self) -> str:
        """The chat that refuses what we send there, or ''."""
        return expects_its_own(self.endpoint.url)

    @property
    def total(self) -> int:
        """Its deliveries, in any state."""
        return sum(self.counts.values())

    @property
    def waiting(self) -> int:
        """Those that are still to be made."""
        return self.counts["pending"] + self.counts["retrying"] + self.counts["held"]

    @property
    def newest(self) -> SecretLine:
        """The secret that signs from now on."""
        return self.endpoint.secrets[0]

    @property
    def earlier(self) -> tuple[SecretLine, ...]:
        """Those that sign too, until they end."""
        return self.endpoint.secrets[1:]

    @property
    def types(self) -> list[tuple[str, str]]:
        """For a select: the types of event that it is told."""
        told = (
            name for name in TYPES if self.everything or name in (*self.endpoint.events, TEST.type, self.type)
        )
        return [(name, happened(name)) for name in told]

    @property
    def on(self) -> bool:
        """Whether it is called."""
        return self.endpoint.state == "active"

    @property
    def events(self) -> list[str]:
        """What it is told, one by one."""
        return [happened(name) for name in self.endpoint.events]

    @property
    def unheard(self) -> bool:
        """Whether it is on and took nothing since it gave up, or was given up, last."""
        last, gone = self.endpoint.last_delivered_at, self.given_up_at
        return gone is not None and (last is None or last < gone)

    @property
    def live(self) -> bool:
        """Whether more comes of these by itself."""
        let_go = any(
            self.on and line.state == DeliveryState.HELD and (line.reason or "").startswith("the webhook is ")
            for line in self.lines
        )
        return not self.first and (let_go or self.counts["pending"] + self.counts["retrying"] > 0)

    def shows_the_same(self, other: "EndpointPage | None") -> bool:
        """Whether a page that shows `other` need not be repainted."""
        if other is None or (soon(self.lines, self.now) and elapsed(self.now, other.now)):
            return False
        return replace(self, version=other.version, now=other.now) == other

    def happened(self, line: DeliveryLine) -> str:
        """What a delivery tells, in a creator's words."""
        return happened(line.type)

    def filtered(self, state: str | None = None, cursor: str = "", *, live: bool = False) -> str:
        """Its page with the deliveries of a state (None: as now), type and release as now; or its stream."""
        state = self.state if state is None else state
        wanted = {"state": state, "type": self.type, "release": self.release, "cursor": cursor}
        query = urlencode({name: value for name, value in wanted.items() if value})
        place = f"{self.url}/live" if live else self.url
        return f"{place}?{query}" if query else place


@dataclass(frozen=True)
class DeliveryPage:
    """One delivery with its attempts. `endpoint` None: the webhook was deleted since."""

    list_url: str
    releases_url: str
    reading: OneDelivery
    endpoint: Endpoint | None

    @property
    def url(self) -> str:
        """Its own address."""
        return f"{self.list_url}/deliveries/{self.reading.whole.line.id}"

    @property
    def name(self) -> str:
        """What its webhook is called."""
        return name_of(self.endpoint) if self.endpoint else host_of(self.reading.whole.line.url)

    @property
    def tells_address(self) -> bool:
        """Whether the body names the webhook's whole address, as a test does."""
        return self.reading.whole.line.type == TEST.type

    @property
    def happened(self) -> str:
        """What happened, in a creator's words."""
        return happened(self.reading.whole.line.type)

    @property
    def body(self) -> str:
        """What each attempt sends, as text."""
        return self.reading.whole.body.decode("utf-8", "replace")

    @property
    def indented(self) -> str:
        """The same, for reading."""
        return msgspec.json.format(self.reading.whole.body, indent=2).decode("utf-8", "replace")
