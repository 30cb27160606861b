"""E7: a call is begun only while its lease outlasts it, and whoever had no time says so and comes again."""

import asyncio
from datetime import timedelta

import pytest

from app.base.database import Database
from app.base.errors import Unavailable
from app.base.settings import Settings, SettingsError, settings
from app.egress import calls as egress_calls
from app.webhooks import calls
from app.webhooks.policies import RELEASES
from tests.jobs.makers import working
from tests.webhooks.conftest import Receiver
from tests.webhooks.makers import an_account, an_endpoint, due_now, in_states, rows, tell, tried, whole

SHORTEN = "update job set leased_until = clock_timestamp() + make_interval(secs => :s) where state = 'leased'"


@pytest.fixture(autouse=True)
async def account(owner: Database) -> int:
    return await an_account(owner)


@pytest.fixture
def shortened(owner: Database, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """So many seconds are left of the lease when it is looked at, once the connection is there."""
    left: list[float] = []
    asked = calls._Desk._ours

    async def after_a_while(self, held):
        if left:
            async with owner.transaction() as tx:
                await tx.execute(SHORTEN, s=left.pop())
        return await asked(self, held)

    monkeypatch.setattr(calls._Desk, "_ours", after_a_while)
    return left


async def test_no_byte_leaves_when_the_lease_does_not_outlast_the_call(
    web: Database, worker: Database, owner: Database, receiver: Receiver, shortened: list[float]
) -> None:
    """The call may take fifteen seconds and telling of it five: of seventeen it is not begun."""
    made, _ = await an_endpoint(web, url=receiver.url)
    shortened.append(17.0)
    async with working(worker, "webhooks"):
        await tell(web)
        line = await tried(web, made.id, 0)
        assert receiver.script.calls == []
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
    web: Database,
    worker: Database,
    receiver: Receiver,
    shortened: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two of its fifteen seconds went to connecting: nineteen suffice for the rest."""
    dial = egress_calls.dial

    async def slowly(*how, **more):
        await asyncio.sleep(2)
        return await dial(*how, **more)

    monkeypatch.setattr(egress_calls, "dial", slowly)
    made, _ = await an_endpoint(web, url=receiver.url)
    shortened.append(19.0)
    async with working(worker, "webhooks"):
        await tell(web)
        (line,) = await in_states(web, made.id, "delivered")
    assert len((await whole(web, line.id)).attempts) == 1


@pytest.mark.parametrize("away", [False, True])
async def test_who_never_has_time_spends_tries_in_the_end(
    web: Database,
    worker: Database,
    owner: Database,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    away: bool,
) -> None:
    """E2: it does not go round for ever: put off as long as its tries would go on, then failed."""

    async def none(self, held):
        if away:
            raise Unavailable("no place")
        return [None for _ in held]

    monkeypatch.setattr(calls._Desk, "_ours", none)
    made, _ = await an_endpoint(web, url=receiver.url)
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
        await due_now(owner)
        await in_states(web, made.id, "failed")
        (endpoint,) = await rows(owner, "select failures, unheard from endpoint")
    assert receiver.script.calls == []
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
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    lease: str,
    seconds: str,
) -> None:
    """Also when connecting takes a while: the call gets what the lease allows, nearly its whole time-out."""
    shortest(monkeypatch, lease, seconds)
    dial, dialled = egress_calls.dial, []

    async def slowly(target, addresses, tls, deadline, *more):
        dialled.append(deadline - asyncio.get_running_loop().time())
        await asyncio.sleep(min(1.2, float(seconds) / 3))
        return await dial(target, addresses, tls, deadline, *more)

    asked = calls._Desk._what

    async def late(self, held):
        found = await asked(self, held)
        await asyncio.sleep(min(1.0, float(seconds) / 5))
        return found

    monkeypatch.setattr(egress_calls, "dial", slowly)
    monkeypatch.setattr(calls._Desk, "_what", late)
    made, _ = await an_endpoint(web, url=receiver.url)
    async with working(worker, "webhooks"):
        await tell(web)
        await in_states(web, made.id, "delivered")
    assert len(dialled) == 1
    assert dialled[0] > 0.8 * float(seconds)
