"""Deliveries: signed on every attempt (W4), the same id and bytes on each (W2), tried by the policies."""

import time
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from app import webhooks
from app.base.database import Database
from app.fakes.receiver import Call, Reply
from tests.jobs.makers import working
from tests.waiting import until
from tests.webhooks.conftest import Receiver
from tests.webhooks.makers import an_account, an_endpoint, due_now, in_states, rows, tell, tried, whole

HARD = {"post": {"title": 'Zoë 😊 <b> \u2028\u2029 \x01\x1f\x7f "q" \\ \ufeff', "text": "a\r\n\tb" * 50}}


@pytest.fixture(autouse=True)
async def account(owner: Database) -> int:
    return await an_account(owner)


def verified(call: Call, secret: str) -> Any:
    """What the reference library makes of it; raises when it does not verify."""
    return Webhook(secret).verify(call.body, dict(call.headers))


async def test_what_happened_arrives_signed_and_is_on_record(
    web: Database, worker: Database, receiver: Receiver
) -> None:
    """W4: the reference library verifies it; the attempt tells what was sent and answered."""
    made, secret = await an_endpoint(web, url=receiver.url)
    receiver.script.replies.append(Reply(200, body=b"thank\0you \xff"))
    async with working(worker, "webhooks"):
        await tell(web, data=HARD)
        (line,) = await in_states(web, made.id, "delivered")
    (call,) = receiver.script.calls
    body = verified(call, secret)
    at = body.pop("timestamp")
    assert body == {"type": "post.published", "account": "seven", "sequence": 1, "data": HARD}
    assert abs((datetime.fromisoformat(at) - datetime.now(UTC)).total_seconds()) < 60
    assert (call.header("godwit-sequence"), call.header("godwit-redelivery")) == ("1", "")
    assert call.header("content-type") == "application/json"
    found = await whole(web, line.id)
    (attempt,) = found.attempts
    assert (attempt.number, attempt.outcome, attempt.status, attempt.error) == (1, "done", 200, None)
    assert attempt.answer == "thank\ufffdyou \ufffd"
    assert attempt.request_headers is not None
    assert attempt.request_headers["webhook-signature"] == call.header("webhook-signature")
    assert found.body == call.body


async def _a_second_after(call: Call) -> bool:
    return time.time() >= int(call.header("webhook-timestamp")) + 1


async def test_it_verifies_on_a_third_attempt_long_after(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """W2, W4: the id and the bytes are the first one's, the time and the signature of the moment."""
    made, secret = await an_endpoint(web, url=receiver.url)
    receiver.script.replies += [Reply(500), Reply(503)]
    async with working(worker, "webhooks"):
        await tell(web, data=HARD)
        for tries in (1, 2):
            await tried(web, made.id, tries)
            await until(partial(_a_second_after, receiver.script.calls[-1]))
            async with owner.transaction() as tx:
                await tx.execute("update clock set ahead = ahead + interval '10 minutes'")
        (line,) = await in_states(web, made.id, "delivered")
    first, second, third = receiver.script.calls
    assert verified(third, secret) == verified(first, secret) == verified(second, secret)
    assert {call.header("webhook-id") for call in (first, second, third)} == {line.event}
    assert first.body == second.body == third.body
    at = [int(call.header("webhook-timestamp")) for call in (first, second, third)]
    assert at[0] < at[1] < at[2], "each says when it was made"
    assert abs(at[2] - time.time()) < 5, "the receiver's clock is the real one"
    assert len({call.header("webhook-signature") for call in (first, second, third)}) == 3


TRIED = "select count(*) as n from attempt join job on id = job_id where kind = 'deliver_webhook'"


async def test_each_try_says_which_it_is(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """Field case H: the number of its attempt as it is shown; one that was put off is not counted (E6)."""
    made, _ = await an_endpoint(web, url=receiver.url)
    receiver.script.replies += [Reply(500), Reply(503, (("retry-after", "60"),)), Reply(500)]

    async def ended(times: int) -> bool:
        (found,) = await rows(owner, TRIED)
        return found.n == times

    async with working(worker, "webhooks"):
        await tell(web)
        for times in (1, 2, 3):
            await until(partial(ended, times))
            await due_now(owner)
        (line,) = await in_states(web, made.id, "delivered")
        said = [call.header("godwit-attempt") for call in receiver.script.calls]
        assert said == ["1", "2", "2", "3"]
        assert [str(one.number) for one in (await whole(web, line.id)).attempts] == said
        async with web.transaction(7) as tx:
            await webhooks.redeliver(tx, [line.id])
        await in_states(web, made.id, "delivered", "delivered")
    assert receiver.script.calls[-1].header("godwit-attempt") == "1"
