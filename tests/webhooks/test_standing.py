"""How an endpoint stands: off by its answers, paused or deleted by people; what waits follows it."""

import pytest
from standardwebhooks.webhooks import Webhook

from app import webhooks
from app.base.database import Database
from app.base.errors import Conflict
from app.fakes.receiver import Reply
from app.webhooks.states import EndpointState
from tests.jobs.makers import let_leases_run_out, working
from tests.waiting import until
from tests.webhooks.conftest import Receiver
from tests.webhooks.doors import Door
from tests.webhooks.makers import an_account, an_endpoint, due_now, in_states, lines, rows, tell, tried, whole
from workers.schedule import sweep_leases


@pytest.fixture(autouse=True)
async def account(owner: Database) -> int:
    return await an_account(owner)


async def standing(web: Database, made: webhooks.Endpoint) -> webhooks.Endpoint:
    async with web.transaction(7) as tx:
        found = await webhooks.endpoint(tx, made.id)
    assert found is not None
    return found


async def switched_off(owner: Database) -> list[str]:
    """The reasons that the team is to be told."""
    told = await rows(owner, "select args from job where kind = 'endpoint_switched_off'")
    return [row.args["reason"] for row in told]


async def failed(owner: Database, failures: int, hours: float) -> None:
    async with owner.transaction() as tx:
        await tx.execute(
            "update endpoint set failures = :n, unheard = :n,"
            " failing_since = godwit_now() - make_interval(secs => :seconds),"
            " unheard_since = godwit_now() - make_interval(secs => :seconds)",
            n=failures, seconds=hours * 3600,
        )  # fmt: skip


async def test_410_switches_off_at_once_and_holds_what_waits(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """On again, what waited goes; meanwhile nothing is queued."""
    made, _ = await an_endpoint(web, url=receiver.url)
    receiver.script.replies += [Reply(500), Reply(410)]
    async with working(worker, "webhooks"):
        await tell(web)
        await tried(web, made.id, 1)
        await tell(web)
        await in_states(web, made.id, "held", "failed")
        off = await standing(web, made)
        assert (off.state, off.reason) == ("disabled", "It answered 410 Gone. It wants nothing more.")
        assert await switched_off(owner) == [off.reason]
        await tell(web)
        await until(lambda: _all_numbered(owner))
        async with web.transaction(7) as tx:
            on = await webhooks.resume_endpoint(tx, made.id)
        assert (on.state, on.reason, on.failures) == ("active", None, 0)
        await until(lambda: _delivered(web, made))
    assert [line.state for line in await lines(web, made.id)] == ["delivered", "failed"]
    assert len(receiver.script.calls) == 3


async def _all_numbered(owner: Database) -> bool:
    return not await rows(owner, "select from event where sequence is null")


async def _delivered(web: Database, made: webhooks.Endpoint) -> bool:
    return "delivered" in [line.state for line in await lines(web, made.id)]


@pytest.mark.parametrize(
    ("failures", "hours", "off", "reason"),
    [
        (
            49,
            61 / 60,
            True,
            "50 tries in a row failed. The last: It answered 500 Internal Server Error.",
        ),
        (49, 59 / 60, False, ""),
        (48, 70, False, ""),
        (9, 73, True, "Nothing was delivered for 3 days. The last answer: It answered 500"),
        (8, 200, False, ""),
    ],
)
async def test_it_switches_off_after_fifty_in_an_hour_or_three_days(
    web: Database, worker: Database, owner: Database, receiver: Receiver, failures, hours, off, reason
) -> None:
    made, _ = await an_endpoint(web, url=receiver.url)
    await failed(owner, failures, hours)
    receiver.script.replies.append(Reply(500))
    async with working(worker, "webhooks"):
        await tell(web)

        async def counted() -> bool:
            return (await standing(web, made)).failures == failures + 1

        await until(counted)
    found = await standing(web, made)
    assert (found.state == EndpointState.DISABLED) == off
    assert (found.reason or "").startswith(reason)
    assert len(await switched_off(owner)) == off


async def test_a_success_begins_anew_and_a_test_does_not_count(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    made, _ = await an_endpoint(web, url=receiver.url)
    receiver.script.replies += [Reply(500), Reply(404), Reply(200)]
    async with working(worker, "webhooks"):
        async with web.transaction(7) as tx:
            test = await webhooks.send_test(tx, made.id)
        await tried(web, made.id, 1)
        assert (await standing(web, made)).failures == 0, "who sets it up is not counted"
        await tell(web)
        await in_states(web, made.id, "retrying", "failed")
        assert (await standing(web, made)).failures == 1
        await due_now(owner)
        await in_states(web, made.id, "delivered", "failed")
    assert (await whole(web, test)).line.attempts == 2
    found = await standing(web, made)
    assert (found.failures, found.failing_since) == (0, None)


async def waiting(owner: Database) -> set[str]:
    """The states of the jobs of deliveries, whatever the view makes of them."""
    return {row.state for row in await rows(owner, "select state from job where kind = 'deliver_webhook'")}


async def test_paused_it_keeps_what_happens_and_resumed_it_hears_it(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    made, _ = await an_endpoint(web, url=receiver.url)
    await tell(web)
    async with web.transaction(7) as tx:
        await webhooks.pause_endpoint(tx, made.id)
    async with working(worker, "webhooks"):
        await in_states(web, made.id, "held")
        await tell(web)
        found = await in_states(web, made.id, "held", "held")
        assert {line.reason for line in found} == {"the webhook is paused"}
        assert await waiting(owner) == {"held"}
        assert (await whole(web, found[1].id)).attempts == (), "no worker needs to look at it"
        with pytest.raises(Conflict, match="paused"):
            async with web.transaction(7) as tx:
                await webhooks.send_test(tx, made.id)
        assert receiver.script.calls == []
        async with web.transaction(7) as tx:
            await webhooks.resume_endpoint(tx, made.id)
        await in_states(web, made.id, "delivered", "delivered")


async def test_what_was_in_hand_while_it_was_paused_and_resumed_is_not_left_held(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """E2: an attempt that read the old state is held after it was resumed; a second look lets it go."""
    made, _ = await an_endpoint(web, url=receiver.url)
    async with working(worker, "webhooks"):
        await tell(web)
        await in_states(web, made.id, "delivered")
        async with web.transaction(7) as tx:
            await webhooks.pause_endpoint(tx, made.id)
            await webhooks.resume_endpoint(tx, made.id)
        await until(lambda: _followed(owner))
    async with web.transaction(7) as tx:
        again = await webhooks.redeliver(tx, [(await lines(web, made.id))[0].id])
    async with owner.transaction() as tx:
        await tx.execute(
            "update job set state = 'held', reason = 'late'"
            " where kind = 'deliver_webhook' and state = 'ready'"
        )
        await tx.execute("update clock set ahead = interval '71 seconds'")
    async with working(worker, "webhooks"):
        await until(lambda: _stands(web, again[0], "delivered"))


async def _followed(owner: Database) -> bool:
    """Both first looks are over, the second one waits for its time."""
    found = await rows(owner, "select state from job where kind = 'follow_endpoint' order by run_at")
    return [row.state for row in found] == ["done", "done", "ready"]


async def _stands(web: Database, delivery_id, state: str) -> bool:
    return (await whole(web, delivery_id)).line.state == state


async def test_deleted_it_is_called_no_more_and_its_deliveries_say_so(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    made, _ = await an_endpoint(web, url=receiver.url)
    receiver.script.replies.append(Reply(500))
    async with working(worker, "webhooks"):
        await tell(web)
        await tried(web, made.id, 1)
        async with web.transaction(7) as tx:
            await webhooks.delete_endpoint(tx, made.id)
        (line,) = await lines(web, made.id)
        assert (line.state, line.reason, line.next_at) == ("failed", "the webhook was deleted", None)
        await until(lambda: _discarded(owner))
    assert len(receiver.script.calls) == 1


async def _discarded(owner: Database) -> bool:
    (row,) = await rows(owner, "select state from job where kind = 'deliver_webhook'")
    return row.state == "discarded"


async def test_after_a_rotation_each_live_secret_verifies(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """W4: a receiver changes its secret whenever it likes within the overlap."""
    made, first = await an_endpoint(web, url=receiver.url)
    async with web.transaction(7) as tx:
        second = await webhooks.rotate_secret(tx, made.id, 24)
    async with working(worker, "webhooks"):
        await tell(web, data={"title": "Zoë 😊 \u2028 \x01"})
        await in_states(web, made.id, "delivered")
        async with owner.transaction() as tx:
            await tx.execute("update clock set ahead = interval '25 hours'")
        await tell(web)
        await in_states(web, made.id, "delivered", "delivered")
    within, after = receiver.script.calls
    assert len(within.header("webhook-signature").split(" ")) == 2
    for secret in (first, second):
        Webhook(secret).verify(within.body, dict(within.headers))
    assert len(after.header("webhook-signature").split(" ")) == 1
    Webhook(second).verify(after.body, dict(after.headers))


async def test_a_secret_that_cannot_be_opened_holds_and_sends_nothing_unsigned(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """W4: rather nothing than an attempt that is not signed."""
    made, _ = await an_endpoint(web, url=receiver.url)
    async with owner.transaction() as tx:
        await tx.execute("update endpoint_secret set sealed = sealed || '\\x00'")
    async with working(worker, "webhooks"):
        await tell(web)
        (line,) = await in_states(web, made.id, "held")
    assert "cannot be opened" in (line.reason or "")
    assert receiver.script.calls == []


async def test_e10_an_endpoint_that_hangs_does_not_slow_the_others(
    web: Database, worker: Database, receiver: Receiver
) -> None:
    """E10, field case: the first delivery hangs, many more wait behind it; those of others go at once."""
    stuck, _ = await an_endpoint(web, "post.published", url=receiver.url + "/stuck")
    quick, _ = await an_endpoint(web, "post.unpublished", url=receiver.url)
    receiver.script.replies += [Reply(ending="hang")] * 10
    async with working(worker, "webhooks") as loop:
        for _ in range(10):
            await tell(web)

        async def hangs() -> bool:
            return len(receiver.script.calls) == 4

        await until(hangs)
        receiver.script.replies.clear()
        for _ in range(10):
            await tell(web, "post.unpublished")
        await in_states(web, quick.id, *["delivered"] * 10)
        assert {line.state for line in await lines(web, stuck.id)} == {"pending"}
        for task in loop._running:
            task.cancel()


async def test_e4_who_lost_the_lease_sends_nothing(
    web: Database, worker: Database, owner: Database, door: Door
) -> None:
    """E4, E7: it ran out in the handshake; it is looked at once the connection is there, before the first
    byte."""
    made, _ = await an_endpoint(web, url=door.url)

    async def meanwhile() -> None:
        if door.came == 1:
            await let_leases_run_out(owner)
            await sweep_leases(worker)

    door.meanwhile = meanwhile
    async with working(worker, "webhooks"):
        await tell(web)
        (line,) = await in_states(web, made.id, "delivered")
    assert (door.came, len(door.script.calls)) == (2, 1)
    assert line.attempts == 2
    tries = (await whole(web, line.id)).attempts
    assert sorted((one.outcome, one.late) for one in tries) == [
        ("done", False),
        ("lost", False),
        ("retry", True),
    ]


async def test_what_the_receiver_said_stands_when_our_books_fail(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """Field case: it worked, keeping that failed: it is not sent again for that."""
    made, _ = await an_endpoint(web, url=receiver.url)
    await failed(owner, 3, 1)
    async with owner.transaction() as tx:
        await tx.execute(
            "create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$"
        )
        await tx.execute(
            "create trigger refuse before update on endpoint for each row execute function refuse()"
        )
    try:
        async with working(worker, "webhooks"):
            await tell(web)
            await in_states(web, made.id, "delivered")
    finally:
        async with owner.transaction() as tx:
            await tx.execute("drop function refuse cascade")
    assert len(receiver.script.calls) == 1
    assert (await standing(web, made)).failures == 3
