"""Two releases, and a worker that dies between fan-out and delivery: no older begins after a newer (E7)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.fakes import Call, FakeReceiver, Reply
from app.webhooks import NewEndpoint, News, add_endpoint, announce
from tests.crash.crew import Crew, Stage, Terms
from tests.ledger.makers import Audience, audience_of

pytestmark = pytest.mark.anyio
TERMS = Terms("webhooks,housekeeping", {"EGRESS_ALLOW": "127.0.0.0/8"})
#: Of a fan-out and of a delivery, in the order in which a release comes by.
BOUNDARIES = (
    ("jobs", "after_claim", "fan_out"),
    ("jobs", "before_settle", "fan_out"),
    ("jobs", "after_settle", "fan_out"),
    ("jobs", "after_claim", "deliver_webhook"),
    ("webhooks", "before_check", "deliver_webhook"),
    ("webhooks", "after_check", "deliver_webhook"),
    ("webhooks", "after_talk", "deliver_webhook"),
    ("jobs", "before_settle", "deliver_webhook"),
)
_STATES = """
select j.rank, j.state from job j where j.account_id = :account and j.kind = 'deliver_webhook'
order by j.rank
"""
_LEFT = "select count(*) from job where account_id = :account and state in ('ready', 'leased')"


class Lane(Stage):
    """An account with one webhook, whose receiver writes down what comes, as it comes."""

    audience: Audience
    receiver: FakeReceiver
    log: Path

    async def open(self, log: Path) -> None:
        """The receiver listens."""
        self.log = log
        self.receiver = FakeReceiver(self._met)
        await self.receiver.start()
        self.audience = await audience_of(self.web, 0)
        async with self.web.transaction(self.audience.account_id) as tx:
            await add_endpoint(tx, NewEndpoint(f"{self.receiver.url}/hook"))

    async def end(self) -> None:
        """The receiver goes last."""
        await super().end()
        await self.receiver.stop()

    async def _met(self, call: Call) -> Reply:
        with self.log.open("a") as log:
            print(call.header("godwit-sequence"), call.header("webhook-id"), file=log)
        return Reply(200)

    async def announce(self, release: int) -> None:
        """As publishing does."""
        data = {"release": release, "url": "http://a.localhost/", "changes": []}
        async with self.web.transaction(self.audience.account_id) as tx:
            await announce(tx, News("release.published", data, release=release))

    async def ended(self) -> dict[int, str]:
        """Wait until no job of the account is left: what became of each release."""

        async def so() -> bool:
            return not await self.asked(_LEFT, account=self.audience.account_id)

        await self.all_of(so)
        async with self.owner.transaction() as tx:
            rows = await tx.rows(_STATES, account=self.audience.account_id)
        return {row.rank: row.state for row in rows}

    def came(self) -> list[tuple[str, str]]:
        """Sequence and id of each call, in order."""
        return [(one.split()[0], one.split()[1]) for one in self.log.read_text().splitlines()]


@pytest.fixture
async def lane(crew: Crew, tmp_path: Path) -> AsyncIterator[Lane]:
    made = Lane(crew)
    await made.begin()
    await made.open(tmp_path / "came")
    yield made
    await made.end()


@pytest.mark.parametrize(("place", "at", "job"), BOUNDARIES)
@pytest.mark.parametrize("kind", ["kill", "stop"])
async def test_two_releases_and_a_worker_lost_between_them_come_in_order(
    lane: Lane, kind: str, place: str, at: str, job: str
) -> None:
    """E7, E2, W2: the newest is delivered; an older one before it, or not at all."""
    await lane.strike(kind, place, at, job)
    await lane.announce(1)
    [lost] = await lane.struck()
    await lane.announce(2)
    await lane.over(lost)
    states = await lane.ended()
    if kind == "stop":
        await lane.woken(lost)
    assert states[2] == "done"
    assert states[1] in ("done", "superseded")
    numbers = [int(number) for number, _ in lane.came()]
    assert numbers == sorted(numbers), "no older release is begun after a newer one"
    assert numbers[-1] == 2
    assert len(set(lane.came())) == len(set(numbers)), "one id a release, however often it came"
