"""The API of webhooks as /api/docs tells it."""

from typing import Any

import pytest

from app.base.database import Database
from app.fakes.receiver import Reply
from tests.broadcasts.makers import Studio
from tests.jobs.makers import working
from tests.waiting import until
from tests.webhooks.conftest import Receiver
from tests.webhooks.makers import rows

NOBODY = "0198c0de-0000-7000-8000-000000000000"


async def add(studio: Studio, receiver: Receiver, **more: Any) -> dict[str, Any]:
    """A webhook as the call that makes it answers it."""
    made = await studio.api.post("/endpoints", json={"url": receiver.url, "events": ["*"], **more})
    assert made.status_code == 201, made.text
    return made.json()


async def test_a_webhook_from_its_first_day_to_its_last(studio: Studio, receiver: Receiver) -> None:
    made = await add(studio, receiver, description="The site")
    assert made["secret"].startswith("whsec_")
    assert (made["state"], made["reason"], made["warning"]) == ("active", None, None)
    one = f"/endpoints/{made['id']}"
    there = (await studio.api.get("/endpoints")).json()
    assert there == {"items": [(await studio.api.get(one)).json()], "next": None}
    assert "secret" not in there["items"][0]
    paused = (await studio.api.patch(one, json={"state": "paused"})).json()
    assert paused["state"] == "paused"
    changed = await studio.api.patch(one, json={"events": ["post.published"], "state": "active"})
    assert (changed.json()["state"], changed.json()["events"]) == ("active", ["post.published"])
    assert (await studio.api.delete(one)).status_code == 204
    assert (await studio.api.get(one)).status_code == 404
    assert (await studio.api.delete(one)).status_code == 404


async def test_a_repeated_answer_holds_no_secret(studio: Studio, receiver: Receiver, owner: Database) -> None:
    """Contract: the secret only in the answer that makes it; what is kept under a key has null there."""
    given = {"url": receiver.url, "events": ["*"]}
    key = {"Idempotency-Key": "one"}
    first = (await studio.api.post("/endpoints", json=given, headers=key)).json()
    again = (await studio.api.post("/endpoints", json=given, headers=key)).json()
    assert again == first | {"secret": None}
    rotate, key = f"/endpoints/{first['id']}/rotate", {"Idempotency-Key": "two"}
    second = (await studio.api.post(rotate, headers=key)).json()
    assert (await studio.api.post(rotate, headers=key)).json() == second | {"secret": None}
    assert second["secret"] not in (None, first["secret"])
    assert second["old_secret_until"] is not None
    kept = await rows(owner, "select answer::text as answer from idempotency")
    assert len(kept) == 2
    assert [row for row in kept if "whsec_" in row.answer] == []


async def test_a_test_event_arrives_and_can_be_made_again(studio: Studio, receiver: Receiver) -> None:
    """Delivery and attempts as the contract names them; the same id and body again (W2)."""
    made = await add(studio, receiver)
    receiver.script.replies.append(Reply(422, body=b"no such thing"))
    sent = await studio.api.post(f"/endpoints/{made['id']}/test")
    assert sent.status_code == 202
    first = f"/deliveries/{sent.json()['id']}"

    async def ended(where: str) -> dict[str, Any] | None:
        told = (await studio.api.get(where)).json()
        return told if told["state"] in ("failed", "delivered") else None

    async with working(studio.worker, "webhooks"):
        failed = await until(lambda: ended(first))
        again = await studio.api.post(f"{first}/redeliver")
        assert again.status_code == 202
        done = await until(lambda: ended(f"/deliveries/{again.json()['id']}"))
    (attempt,) = failed["attempts"]
    assert attempt.keys() == {
        *("number", "started_at", "duration_ms", "outcome", "status", "error", "answer"),
    }
    assert (attempt["outcome"], attempt["status"], attempt["answer"]) == ("refused", 422, "no such thing")
    assert (failed["state"], failed["endpoint"], failed["type"]) == ("failed", made["id"], "endpoint.test")
    assert (done["event"], done["body"], done["redelivery"]) == (failed["event"], failed["body"], 1)
    assert [call.body.decode() for call in receiver.script.calls] == [done["body"]] * 2
    listed = (await studio.api.get(f"/endpoints/{made['id']}/deliveries")).json()["items"]
    assert [one["state"] for one in listed] == ["delivered", "failed"]
    assert [one["attempts"] for one in listed] == [1, 1]


async def test_a_list_goes_on_where_it_stopped(studio: Studio, receiver: Receiver) -> None:
    made = await add(studio, receiver)
    await add(studio, receiver)
    sent = [(await studio.api.post(f"/endpoints/{made['id']}/test")).json()["id"] for _ in range(3)]
    for where, known in ((f"/endpoints/{made['id']}/deliveries", sent[::-1]), ("/endpoints", None)):
        first = (await studio.api.get(f"{where}?limit=1")).json()
        found, following = [first["items"][0]["id"]], first["next"]
        while following:
            page = (await studio.api.get(f"{where}?limit=1&cursor={following}")).json()
            found, following = [*found, page["items"][0]["id"]], page["next"]
        whole = [one["id"] for one in (await studio.api.get(where)).json()["items"]]
        assert found == whole == (known or whole)
        assert len(set(found)) == len(found) > 1


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"url": "ftp://example.com", "events": ["*"]}, "url"),
        ({"url": "https://localhost/x", "events": ["*"]}, "url"),
        ({"url": "https://[::1]/x", "events": ["*"]}, "url"),
        ({"url": "https://192.168.0.1/x", "events": ["*"]}, "url"),
        ({"url": "https://93.184.216.34/x", "events": []}, "events"),
        ({"url": "https://93.184.216.34/x", "events": ["post.burnt"]}, "events"),
        ({"url": "https://93.184.216.34/x", "events": ["*"], "description": "d" * 201}, "description"),
    ],
)
async def test_what_cannot_be_is_refused_by_field(studio: Studio, given: dict[str, Any], field: str) -> None:
    """W3: at the moment of adding, and nothing is added."""
    refused = await studio.api.post("/endpoints", json=given)
    assert refused.status_code == 422
    assert [one["field"] for one in refused.json()["errors"]] == [field]
    assert (await studio.api.get("/endpoints")).json()["items"] == []


async def test_a_name_that_leads_nowhere_yet_is_taken_with_a_warning(studio: Studio) -> None:
    """Contract: the other program may be set up later."""
    made = await studio.api.post("/endpoints", json={"url": "https://later.invalid/x", "events": ["*"]})
    assert made.status_code == 201
    assert "later.invalid" in made.json()["warning"]


async def test_nobody_sees_what_is_not_theirs_and_odd_calls_are_told_so(
    studio: Studio, receiver: Receiver
) -> None:
    """T1."""
    for method, where in (
        ("GET", f"/endpoints/{NOBODY}"),
        ("PATCH", f"/endpoints/{NOBODY}"),
        ("POST", f"/endpoints/{NOBODY}/rotate"),
        ("POST", f"/endpoints/{NOBODY}/test"),
        ("GET", f"/endpoints/{NOBODY}/deliveries"),
        ("GET", f"/deliveries/{NOBODY}"),
        ("POST", f"/deliveries/{NOBODY}/redeliver"),
        ("GET", "/releases/99/deliveries"),
    ):
        body = {} if method == "PATCH" else None
        assert (await studio.api.request(method, where, json=body)).status_code == 404, where
    made = await add(studio, receiver)
    one = f"/endpoints/{made['id']}"
    assert (await studio.api.post(f"{one}/rotate", json={"overlap_hours": 169})).status_code == 422
    assert (await studio.api.patch(one, json={"state": "disabled"})).status_code == 422
    assert (await studio.api.get(f"{one}/deliveries?state=odd")).status_code == 422
    await studio.api.patch(one, json={"state": "paused"})
    assert (await studio.api.post(f"{one}/test")).status_code == 409
