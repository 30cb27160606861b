"""What the load tools are told, and what they tell: both go through a pipe."""

import msgspec

from app.proof.spread import Spread

MAKE, EDIT, PUBLISH = "make draft", "edit", "publish"
"""The steps of a WritingOrder."""


class Order(msgspec.Struct):
    """What to ask: paths in turn, over and over (`once`: each once), for so many seconds."""

    port: int
    host: str
    paths: list[str]
    connections: int
    seconds: float
    once: bool = False


class Tally(msgspec.Struct):
    """What came back. Seconds; `failed` had another status than 200."""

    answers: int
    failed: int
    seconds: float
    median: float
    p99: float


class WritingOrder(msgspec.Struct):
    """Posts to make, edit and publish by the API, in the accounts whose keys these are.

    Until `requests` were made or `seconds` are over. `publishes_a_second`: not as fast as the answers come,
    but so many publications a second, each at its own time, of drafts that were made before the clock runs.
    """

    port: int
    keys: list[str]
    connections: int
    seconds: float
    requests: int
    publishes_a_second: float = 0.0
    name: str = ""


class Step(msgspec.Struct):
    """What came of one kind of request; `times` are a Spread's, of those that were not `lost`."""

    times: dict[int, int] = {}
    failed: int = 0
    lost: int = 0
    reasons: dict[str, int] = {}

    @property
    def spread(self) -> Spread:
        """How long the answers took, those that refused among them."""
        return Spread(self.times)


class WritingTally(msgspec.Struct):
    """What came of the order, by step. Octets of memory after a fourth of it, and at its end.

    `processor`: seconds of it that the tool itself took.
    """

    steps: dict[str, Step]
    seconds: float
    memory_early: int
    memory_late: int
    processor: float = 0.0

    @property
    def done(self) -> int:
        """Those that did what they should."""
        return self.requests - self.failed + sum(step.lost for step in self.steps.values())

    @property
    def requests(self) -> int:
        """All that were answered."""
        return sum(step.spread.count for step in self.steps.values())

    @property
    def failed(self) -> int:
        """Those that were refused or lost."""
        return sum(step.failed for step in self.steps.values())

    @property
    def spread(self) -> Spread:
        """How long any request took."""
        whole = Spread()
        for step in self.steps.values():
            whole.join(step.spread)
        return whole


class Ask(msgspec.Struct):
    """A person who asks for a code by a form: a creator's at the studio, or a reader's at their site."""

    host: str
    address: str
    network: str


class PeopleOrder(msgspec.Struct):
    """Codes to ask for and pages to look at, each at its own time, until the tool is told to end.

    `asks` and `pages` begin again when all were had; `pages` are those of `host`.
    """

    port: int
    asks: list[Ask]
    asks_a_second: float
    host: str
    pages: list[str]
    pages_a_second: float


class Asked(msgspec.Struct):
    """An ask: when its first octet left (seconds since 1970), until the answer, its status (0: lost)."""

    address: str
    at: float
    took: float
    status: int


class PeopleTally(msgspec.Struct):
    """What came of it; `pages` are a Spread's times. `failed`: pages by status (0: lost), if not 200."""

    asked: list[Asked]
    pages: dict[int, int]
    failed: dict[int, int]
    seconds: float


class BurnOrder(msgspec.Struct):
    """Processes that do nothing but take so much of a processor each, until the tool is told to end."""

    duties: list[float]


class BurnTally(msgspec.Struct):
    """Seconds of the processor that they took, and how long it went."""

    took: float
    seconds: float
