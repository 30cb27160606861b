"""What an answer means: delivered, refused, tried again, put off; each attempt on record with its reason."""

import math
from datetime import timedelta
from typing import Any

import pytest

from app import egress, webhooks
from app.base.database import Database
from app.fakes.receiver import Reply
from app.jobs import Done, Refused, Retry, Throttled
from app.webhooks.policies import BY_TYPE, OTHERS, RELEASES, TESTS, Policy
from app.webhooks.replies import LONGEST_WAIT, outcome_of, retry_after, storable
from tests.jobs.makers import working
from tests.waiting import until
from tests.webhooks.conftest import Receiver
from tests.webhooks.makers import an_account, an_endpoint, due_now, in_states, rows, tell, tried, whole

HOUR, DAY = 3600, 86400


@pytest.fixture(autouse=True)
async def account(owner: Database) -> int:
    return await an_account(owner)


def meant(status: int, policy: Policy = OTHERS, *, age: float = 0, throttles: int = 0, **headers: str) -> Any:
    answer = egress.Answer(
        status, {name.replace("_", "-"): value for name, value in headers.items()}, b"", cut=False
    )
    return outcome_of(answer, policy, attempts=1, throttles=throttles, age=age, detail={"status": status})


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
async def test_any_2xx_is_delivered(status: int) -> None:
    assert meant(status) == Done({"status": status})


@pytest.mark.parametrize("status", [408, 409, 425, 500, 502, 503, 504, 599, 100, 999])
async def test_what_may_pass_is_tried_again(status: int) -> None:
    found = meant(status)
    assert isinstance(found, Retry)
    assert f"answered {status}" in found.reason


@pytest.mark.parametrize("status", [300, 301, 302, 304, 307, 308])
async def test_a_redirect_may_pass_and_is_not_followed(status: int) -> None:
    """A house that is being rebuilt sends everybody elsewhere for an hour."""
    found = meant(status)
    assert isinstance(found, Retry)
    assert "Redirects are not followed" in found.reason


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 410, 413, 418, 422, 451])
async def test_what_would_be_refused_again_is_final_at_once(status: int) -> None:
    """E6."""
    found = meant(status)
    assert isinstance(found, Refused)
    assert f"answered {status}" in found.reason


async def test_retry_after_puts_off_and_is_not_an_attempt() -> None:
    """E6, bounded: six hours at once, and no longer than the tries would go on."""
    found = meant(429, retry_after="120")
    assert isinstance(found, Throttled)
    assert found.after == 120
    assert isinstance(meant(503, retry_after="120"), Throttled)
    assert isinstance(meant(500, retry_after="120"), Retry), "only 429 and 503 put off"
    assert isinstance(meant(503, retry_after="soon"), Retry)
    assert meant(429, retry_after="999999999999").after == LONGEST_WAIT
    assert isinstance(meant(429, RELEASES, age=3500, retry_after="120"), Retry), (
        "past the hour it is an attempt"
    )
    assert meant(429, retry_after="0", throttles=8).after == 256, "who always says 0 is not asked each second"


async def test_429_alone_puts_off_by_waits_of_our_own() -> None:
    """E6: a throttle is not an attempt, with or without a Retry-After, for as long as tries would go on."""
    for throttles, most in ((0, 5), (1, 10), (5, 160), (40, LONGEST_WAIT)):
        drawn = [meant(429, throttles=throttles) for _ in range(30)]
        assert all(isinstance(one, Throttled) for one in drawn)
        assert most / 2 <= min(one.after for one in drawn) < max(one.after for one in drawn) <= most
    assert isinstance(meant(429, RELEASES, age=RELEASES.window - 1), Retry), "past the hour it is an attempt"
    assert isinstance(meant(503), Retry), "that it fails, and not that it was too much"


@pytest.mark.parametrize(
    ("given", "date", "seconds"),
    [
        ("7", "", 7),
        (" 7 ", "", 7),
        ("0", "", 1),
        ("-5", "", None),
        ("7.5", "", None),
        ("soon", "", None),
        ("", "", None),
        ("٣", "", None),
        ("Mon, 30 Nov 2026 12:02:00 GMT", "Mon, 30 Nov 2026 12:00:00 GMT", 120),
        ("Mon, 30 Nov 2026 11:00:00 GMT", "Mon, 30 Nov 2026 12:00:00 GMT", 1),
        ("Mon, 99 Nov 2026 12:02:00 GMT", "", None),
    ],
)
async def test_retry_after_is_seconds_or_a_date_by_their_own_clock(given, date, seconds) -> None:
    """RFC 9110 10.2.3."""
    assert retry_after({"retry-after": given, "date": date}) == seconds


async def test_an_answer_is_kept_as_two_thousand_bytes_of_text() -> None:
    answer = egress.Answer(200, {}, "é\0".encode() * 5000 + b"\xff", cut=True)
    assert len(storable(answer).encode()) <= 2000
    assert "\0" not in storable(answer)


async def test_the_policies_are_those_of_the_engine() -> None:
    """Five in an hour, ten in three days; waits are drawn so that nobody comes back together."""
    assert (RELEASES.tries, OTHERS.tries, TESTS.tries) == (5, 10, 3)
    assert HOUR / 2 < RELEASES.window <= HOUR
    assert 2 * DAY < OTHERS.window <= 3 * DAY
    assert set(BY_TYPE) < webhooks.EVENT_TYPES
    for policy in (RELEASES, OTHERS, TESTS):
        for attempts, most in enumerate(policy.waits, start=1):
            drawn = {policy.after(attempts) for _ in range(50)}
            assert len(drawn) > 10
            assert most / 2 <= min(drawn) <= max(drawn) <= most
    assert math.isclose(OTHERS.waits[-1], OTHERS.waits[min(99, 8)])


async def test_a_release_is_tried_five_times_and_then_failed(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """E2: nothing is left to hope for, and each try is on record (W4)."""
    made, _ = await an_endpoint(web, url=receiver.url)
    receiver.script.replies += [Reply(500, body=b"oh no")] * 9
    async with working(worker, "webhooks"):
        await tell(web, "release.published", {"release": 1}, release=1)
        for times in range(1, RELEASES.tries):
            line = await tried(web, made.id, times)
            assert line.reason == "It answered 500 Internal Server Error."
            await due_now(owner)
        (line,) = await in_states(web, made.id, "failed")
    found = await whole(web, line.id)
    assert [one.number for one in found.attempts] == [1, 2, 3, 4, 5]
    assert {(one.status, one.answer) for one in found.attempts} == {(500, "oh no")}
    assert len({(call.header("webhook-id"), call.body) for call in receiver.script.calls}) == 1


async def test_a_refusal_is_one_try_with_its_reason(
    web: Database, worker: Database, receiver: Receiver
) -> None:
    made, _ = await an_endpoint(web, url=receiver.url)
    receiver.script.replies.append(Reply(404, body=b"<h1>no</h1>"))
    async with working(worker, "webhooks"):
        await tell(web)
        (line,) = await in_states(web, made.id, "failed")
    assert line.reason == "It answered 404 Not Found. It would be refused again."
    assert (line.attempts, line.next_at) == (1, None)


async def test_the_status_stands_whatever_becomes_of_the_rest_of_the_answer(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """Engine 3: 2xx is success; what was said after it may break off. It is not sent again for that."""
    made, _ = await an_endpoint(web, url=receiver.url)
    receiver.script.replies += [Reply(ending="cut"), Reply(404, ending="cut")]
    async with working(worker, "webhooks"):
        await tell(web)
        (line,) = await in_states(web, made.id, "delivered")
        await tell(web)
        await in_states(web, made.id, "delivered", "failed")
    (attempt,) = (await whole(web, line.id)).attempts
    assert (attempt.status, attempt.answer) == (200, '{"taken":')
    assert len(receiver.script.calls) == 2


@pytest.mark.parametrize("ending", ["drop", "reset"])
async def test_no_answer_is_tried_again_with_the_same_id(
    web: Database, worker: Database, owner: Database, receiver: Receiver, ending: str
) -> None:
    """W2: the receiver may have taken it: the id tells it so."""
    made, _ = await an_endpoint(web, url=receiver.url)
    receiver.script.replies.append(Reply(ending=ending))  # type: ignore[arg-type]
    async with working(worker, "webhooks"):
        await tell(web)
        await tried(web, made.id, 1)
        await due_now(owner)
        (line,) = await in_states(web, made.id, "delivered")
    first, second = receiver.script.calls
    assert first.header("webhook-id") == second.header("webhook-id") == line.event
    assert first.body == second.body
    before, after = (await whole(web, line.id)).attempts
    assert (before.outcome, before.status, after.outcome) == ("retry", None, "done")
    assert before.error


async def test_what_cannot_be_reached_or_may_not_be_called_is_on_record(
    web: Database, worker: Database, receiver: Receiver
) -> None:
    """W3, W4: a private address is refused at once and for good, a closed port is tried again."""
    inside, _ = await an_endpoint(web, url="https://127.0.0.2/hook")
    nobody, _ = await an_endpoint(web, url="http://127.0.0.1:9999/hook")
    async with working(worker, "webhooks"):
        await tell(web)
        (refused,) = await in_states(web, inside.id, "failed")
        await tried(web, nobody.id, 1)
    (attempt,) = (await whole(web, refused.id)).attempts
    assert attempt.outcome == "refused"
    assert attempt.error == refused.reason
    assert attempt.request_headers is None, "nothing was sent"
    assert "127" not in (refused.reason or "")


async def test_put_off_by_the_receiver_it_waits_and_spends_no_try(
    web: Database, worker: Database, owner: Database, receiver: Receiver
) -> None:
    """E6, in words on the page."""
    made, _ = await an_endpoint(web, url=receiver.url)
    receiver.script.replies += [Reply(429, (("retry-after", "300"),)), *[Reply(429)] * RELEASES.tries]
    async with working(worker, "webhooks"):
        await tell(web, "release.published", {"release": 1}, release=1)
        line = await tried(web, made.id, 0)
        assert line.reason == "It answered 429 Too Many Requests. It asked to be called again later."
        (job,) = await rows(owner, "select run_at - godwit_now() as wait from job where state = 'ready'")
        assert timedelta(seconds=290) < job.wait <= timedelta(seconds=300)
        for came in range(2, RELEASES.tries + 3):
            await due_now(owner)
            await until(lambda came=came: _came(receiver, came))
            if came < RELEASES.tries + 2:
                await tried(web, made.id, 0)
        (line,) = await in_states(web, made.id, "delivered")
    assert line.attempts == 1


async def _came(receiver: Receiver, times: int) -> bool:
    return len(receiver.script.calls) == times
