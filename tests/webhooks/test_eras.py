"""What a call met counts for the address, and the switching-on, that it was made for, and that alone."""

from collections.abc import Awaitable, Callable

import pytest

from app import webhooks
from app.base.database import Database
from app.fakes.receiver import Reply
from tests.jobs.makers import working
from tests.waiting import until
from tests.webhooks.conftest import Receiver
from tests.webhooks.makers import an_account, an_endpoint, due_now, in_states, tell
from tests.webhooks.test_standing import failed, standing, switched_off

Act = Callable[[Database, webhooks.Endpoint], Awaitable[None]]


@pytest.fixture(autouse=True)
async def account(owner: Database) -> int:
    return await an_account(owner)


async def moves(web: Database, made: webhooks.Endpoint) -> None:
    """It is given another address."""
    async with web.transaction(7) as tx:
        await webhooks.change_endpoint(tx, made.id, url=made.url + "/new")


async def goes_off_and_on(web: Database, made: webhooks.Endpoint) -> None:
    """It is switched off, and a person switches it on again."""
    async with web.transaction(7) as tx:
        await tx.execute("update endpoint set state = 'disabled', reason = 'It failed.'")
        await webhooks.resume_endpoint(tx, made.id)


@pytest.mark.parametrize("act", [moves, goes_off_and_on])
@pytest.mark.parametrize(("status", "state"), [(410, "failed"), (404, "failed"), (200, "delivered")])
async def test_what_a_call_meets_counts_for_whom_it_was_made(
    web: Database, worker: Database, owner: Database, receiver: Receiver, act: Act, status: int, state: str
) -> None:
    """The old server says that it is gone: the new one is called all the same, and nobody is mailed."""
    made, _ = await an_endpoint(web, url=receiver.url)
    await failed(owner, 49, 80)
    receiver.script.replies.append(Reply(status, delay=1.0))
    async with working(worker, "webhooks"):
        await tell(web)
        await until(lambda: _came(receiver, 1))
        await act(web, made)
        if status == 200:
            await failed(owner, 2, 1)
        await in_states(web, made.id, state)
        found = await standing(web, made)
        assert (found.state, found.failures) == ("active", 2 if status == 200 else 0)
        await tell(web)
        await in_states(web, made.id, state, "delivered")
    assert await switched_off(owner) == []
    assert (await standing(web, made)).failures == 0


async def test_another_address_begins_anew_and_the_same_does_not(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """Forty-nine failures of the old address, and the first hiccup of the new: it is not off."""
    made, _ = await an_endpoint(web, url="https://old.example.com/hook")
    await failed(owner, 49, 80)
    async with web.transaction(7) as tx:
        same = await webhooks.change_endpoint(tx, made.id, url=made.url, description="Mine")
        assert same.failures == 49
        anew = await webhooks.change_endpoint(tx, made.id, url=receiver.url)
    assert (anew.failures, anew.failing_since) == (0, None)
    receiver.script.replies.append(Reply(404))
    async with working(worker, "webhooks"):
        await tell(web)
        await in_states(web, made.id, "failed")
        await until(lambda: _failures(web, made, 1))
    assert (await standing(web, made)).state == "active"


async def test_two_hiccups_days_apart_do_not_switch_off(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """A weekly newsletter: a refusal on Monday, one the week after. What follows is told to it."""
    made, _ = await an_endpoint(web, url=receiver.url)
    receiver.script.replies += [Reply(404), Reply(500)]
    async with working(worker, "webhooks"):
        await tell(web)
        await in_states(web, made.id, "failed")
        await until(lambda: _failures(web, made, 1))
        await _later(owner, 7 * 24)
        await tell(web)
        await in_states(web, made.id, "failed", "retrying")
        await until(lambda: _failures(web, made, 2))
        assert (await standing(web, made)).state == "active"
        await due_now(owner)
        await in_states(web, made.id, "failed", "delivered")


async def test_put_off_for_days_is_not_heard_either(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """503 and Retry-After at each try: no attempt is spent, and after three days of it it is off."""
    made, _ = await an_endpoint(web, url=receiver.url)
    receiver.script.replies += [Reply(503, (("retry-after", "9"),))] * 12
    async with working(worker, "webhooks"):
        for times in range(1, 11):
            await tell(web)
            await until(lambda times=times: _unheard(owner, times))
            found = await standing(web, made)
            assert (found.state, found.failures) == ("active" if times < 10 else "disabled", 0)
            await _later(owner, 10)
    found = await standing(web, made)
    assert (found.reason or "").startswith(
        "Nothing was delivered for 3 days. The last answer: It answered 503"
    )
    assert len(await switched_off(owner)) == 1


async def _later(owner: Database, hours: int) -> None:
    """The clock of testing mode, not what waits for its time: a put-off delivery stays put off."""
    async with owner.transaction() as tx:
        await tx.execute(
            "update job set run_at = run_at + make_interval(hours => :h) where state = 'ready'", h=hours
        )
        await tx.execute("update clock set ahead = ahead + make_interval(hours => :h)", h=hours)


async def _came(receiver: Receiver, times: int) -> bool:
    return len(receiver.script.calls) == times


async def _failures(web: Database, made: webhooks.Endpoint, times: int) -> bool:
    return (await standing(web, made)).failures == times


async def _unheard(owner: Database, times: int) -> bool:
    async with owner.transaction() as tx:
        return await tx.value("select unheard from endpoint") == times
