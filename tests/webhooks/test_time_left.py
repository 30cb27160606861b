"""E7: a call is begun only while its lease outlasts it, and whoever had no time says so and comes again."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

import pytest

from app.base.database import Database
from app.base.settings import Settings, SettingsError, settings
from app.fakes.receiver import Reply
from app.webhooks.policies import RELEASES
from tests.jobs.makers import working
from tests.waiting import until
from tests.webhooks.doors import Door
from tests.webhooks.makers import an_account, an_endpoint, due_now, in_states, rows, tell, tried, whole

SHORTEN = "update job set leased_until = clock_timestamp() + make_interval(secs => :s) where state = 'leased'"
CUT = """
select pg_terminate_backend(pid) from pg_stat_activity
where datname = current_database() and wait_event_type = 'Lock' and query like '%as held(job, lease, sec%'
"""


@pytest.fixture(autouse=True)
async def account(owner: Database) -> int:
    return await an_account(owner)


@dataclass
class Meanwhile:
    """The handshake takes so many seconds, and so many are left of the lease when it is over; then another
    time they are not touched, or (`always`) they are."""

    owner: Database
    left: float
    takes: float = 0.0
    always: bool = False
    over: bool = False

    async def __call__(self) -> None:
        if self.over and not self.always:
            return
        self.over = True
        await asyncio.sleep(self.takes)
        async with self.owner.transaction() as tx:
            await tx.execute(SHORTEN, s=self.left)


async def test_no_byte_leaves_when_the_lease_does_not_outlast_the_call(
    web: Database, worker: Database, owner: Database, door: Door
) -> None:
    """The call may take fifteen seconds and telling of it five: of seventeen it is not begun."""
    made, _ = await an_endpoint(web, url=door.url)
    door.meanwhile = Meanwhile(owner, left=17.0)
    async with working(worker, "webhooks"):
        await tell(web)
        line = await tried(web, made.id, 0)
        assert (door.came, door.script.calls) == (1, [])
        assert line.reason == "The worker had too little time left when it was to call. Nothing was sent."
        (job,) = await rows(
            owner, "select run_at - godwit_now() as wait, throttles from job where state = 'ready'"
        )
        assert (timedelta(0) < job.wait <= timedelta(seconds=1), job.throttles) == (True, 1)
        await due_now(owner)
        (line,) = await in_states(web, made.id, "delivered")
    assert line.attempts == 1
    assert [one.outcome for one in (await whole(web, line.id)).attempts] == ["throttled", "done"]


async def test_what_is_left_is_asked_of_this_call_and_not_of_a_whole_one(
    web: Database, worker: Database, owner: Database, door: Door
) -> None:
    """Two of its fifteen seconds went to a slow handshake: nineteen suffice for the rest."""
    made, _ = await an_endpoint(web, url=door.url)
    door.meanwhile = Meanwhile(owner, left=19.0, takes=2.0)
    async with working(worker, "webhooks"):
        await tell(web)
        (line,) = await in_states(web, made.id, "delivered")
    (one,) = (await whole(web, line.id)).attempts
    assert one.duration_ms >= 2000


@dataclass
class Cut:
    """The connection that looks at the lease is cut in the middle of it."""

    cutting: asyncio.Task[None] | None = None

    async def __call__(self) -> None:
        locked = asyncio.Event()
        self.cutting = asyncio.create_task(self._cut(locked))
        await locked.wait()

    async def _cut(self, locked: asyncio.Event) -> None:
        url = settings().database.owner_url
        administrator = Database(url, urlsplit(url).username or "", pooled=False)
        async with administrator.transaction() as tx:
            await tx.execute("lock table job in access exclusive mode")
            locked.set()
            await until(lambda: rows(administrator, CUT))
        await administrator.close()


@pytest.mark.parametrize("away", [False, True])
async def test_who_never_has_time_spends_tries_in_the_end(
    web: Database, worker: Database, owner: Database, door: Door, away: bool
) -> None:
    """E2: it does not go round for ever: put off as long as its tries would go on, then failed."""
    door.meanwhile = Cut() if away else Meanwhile(owner, left=17.0, always=True)
    made, _ = await an_endpoint(web, url=door.url)
    async with working(worker, "webhooks"):
        await tell(web, "release.published", {"release": 1}, release=1)
        await tried(web, made.id, 0)
        async with owner.transaction() as tx:
            await tx.execute(
                "update job set created_at = created_at - make_interval(secs => :s)", s=RELEASES.window
            )
        for times in range(1, RELEASES.tries):
            await due_now(owner)
            line = await tried(web, made.id, times)
            assert (line.reason or "").endswith("Nothing was sent.")
            assert ("database did not answer" in (line.reason or "")) == away
        await due_now(owner)
        await in_states(web, made.id, "failed")
        (endpoint,) = await rows(owner, "select failures, unheard from endpoint")
    assert (door.came, door.script.calls) == (RELEASES.tries + 1, [])
    assert (endpoint.failures, endpoint.unheard) == (0, 0), "the receiver did nothing wrong"


def shortest(monkeypatch: pytest.MonkeyPatch, lease: str, seconds: str) -> None:
    monkeypatch.setenv("GODWIT_SEND_TIMEOUT", "1")
    monkeypatch.setenv("GODWIT_WEBHOOK_TIMEOUT", seconds)
    monkeypatch.setenv("GODWIT_LEASE", lease)
    settings.cache_clear()


@pytest.mark.parametrize("lease", ["20", "19"])
async def test_a_lease_that_is_too_short_for_a_call_is_refused(
    settings_env: Settings, monkeypatch: pytest.MonkeyPatch, lease: str
) -> None:
    """Contract: more than five over the longer of the two time-outs."""
    shortest(monkeypatch, lease, "15")
    with pytest.raises(SettingsError, match="GODWIT_LEASE: must be more than 20"):
        settings()


@pytest.mark.parametrize(("lease", "seconds"), [("20.2", "15"), ("105.2", "100"), ("6.5", "1")])
async def test_with_the_shortest_lease_that_is_allowed_everything_is_delivered(
    web: Database,
    worker: Database,
    owner: Database,
    door: Door,
    monkeypatch: pytest.MonkeyPatch,
    lease: str,
    seconds: str,
) -> None:
    """Also when database, handshake and answer take a while: the call gets what the lease allows.

    Of three calls one on its first try: what the machine itself takes must fit beside it."""
    shortest(monkeypatch, lease, seconds)
    waiting = "select from pg_locks where relation = cast('endpoint_secret' as regclass) and not granted"

    async def meanwhile() -> None:
        await asyncio.sleep(min(1.2, float(seconds) / 5))

    door.meanwhile = meanwhile
    door.script.replies += [Reply(200, delay=min(1.2, float(seconds) * 0.3))] * 30
    made, _ = await an_endpoint(web, url=door.url)
    tries: list[int] = []
    async with working(worker, "webhooks"):
        while len(tries) < 3 and 1 not in tries:
            async with owner.transaction() as tx:
                await tx.execute("lock table endpoint_secret in access exclusive mode")
                await tell(web)
                await until(lambda: rows(owner, waiting))
                await tx.rows("select pg_sleep(:s)", s=min(1.0, float(seconds) / 5))
            delivered = await in_states(web, made.id, *["delivered"] * (len(tries) + 1))
            tries = [line.attempts for line in delivered]
    assert 1 in tries, tries
    assert door.came == sum(tries)
