"""Messages by the API: what is taken, what is refused at once, and one key for good."""

import asyncio
import math
from email import message_from_bytes, policy

import pytest

from app import mail
from app.base.database import Database
from app.jobs.runner import QueueLoop
from tests.broadcasts.makers import Studio
from tests.messages.makers import GIVEN, Provider, run


async def test_a_mail_is_taken_handed_over_and_told(
    studio: Studio, messages: QueueLoop, provider: Provider
) -> None:
    asked = GIVEN | {
        "to": " Bo@Example.ORG ",
        "html": "<p>Nine <b>euros</b>.</p>",
        "headers": {"X-Invoice": "9"},
    }
    made = await studio.api.post("/messages", json=asked)
    assert made.status_code == 202
    told = made.json()
    assert (told["state"], told["to"], told["attempts"]) == ("pending", "bo@example.org", 0)
    await run(messages)
    shown = (await studio.api.get(f"/messages/{told['id']}")).json()
    assert (shown["state"], shown["attempts"], shown["tries"][0]["outcome"]) == ("sent", 1, "done")
    assert shown["text"] == "Nine euros."
    assert shown["finished_at"].endswith("Z")
    read = message_from_bytes(provider.bytes_of()[0], policy=policy.default)
    assert (read["To"], read["Subject"], read["X-Invoice"]) == ("bo@example.org", "Your invoice", "9")
    assert read["From"].addresses[0].display_name == "Tidelines"
    listed = (await studio.api.get("/messages")).json()
    assert [one["id"] for one in listed["items"]] == [told["id"]]
    assert listed["next"] is None


async def test_a_known_key_answers_the_first_one_for_good(
    studio: Studio, messages: QueueLoop, provider: Provider, owner: Database
) -> None:
    """M1: also with another body, also when its job is pruned."""
    first = await studio.api.post("/messages", json=GIVEN | {"idempotency_key": "invoice:9"})
    again = await studio.api.post(
        "/messages", json=GIVEN | {"idempotency_key": "invoice:9", "subject": "Other"}
    )
    assert (first.status_code, again.status_code) == (202, 200)
    assert again.json()["id"] == first.json()["id"]
    assert again.json()["subject"] == "Your invoice"
    await run(messages)
    await run(messages)
    assert len(provider.handed) == 1
    async with owner.transaction() as tx:
        await tx.execute("delete from job where id = :id", id=int(first.json()["id"]))
    pruned = await studio.api.post("/messages", json=GIVEN | {"idempotency_key": "invoice:9"})
    assert (pruned.status_code, pruned.json()["id"]) == (200, first.json()["id"])
    assert pruned.json()["state"] == "sent"
    await run(messages)
    assert len(provider.handed) == 1


@pytest.mark.parametrize(("months", "ended"), [(0, "discarded"), (4, "pruned")])
async def test_nobody_says_that_a_message_was_not_sent_whose_tries_are_gone(
    studio: Studio, messages: QueueLoop, owner: Database, months: int, ended: str
) -> None:
    """M1: whoever believes it sends it anew, under another key. One that was never tried was not sent."""
    keyed = GIVEN | {"idempotency_key": "invoice:9"}
    first = (await studio.api.post("/messages", json=keyed)).json()
    async with owner.transaction() as tx:
        await tx.execute("delete from job where id = :id", id=int(first["id"]))
        await tx.execute("update job_key set created_at = created_at - make_interval(months => :n)", n=months)
    told = await studio.api.post("/messages", json=keyed)
    assert (told.status_code, told.json()["id"], told.json()["state"]) == (200, first["id"], ended)


async def test_the_same_order_twice_at_once_is_one_message(studio: Studio, owner: Database) -> None:
    """M1; field case A: two that start the same at once."""
    asked = GIVEN | {"idempotency_key": "twice"}
    answers = await asyncio.gather(*(studio.api.post("/messages", json=asked) for _ in range(6)))
    assert sorted(one.status_code for one in answers) == [200] * 5 + [202]
    assert len({one.json()["id"] for one in answers}) == 1
    async with owner.transaction() as tx:
        assert await tx.value("select count(*) from job where kind = 'send_message'") == 1


_NEVER_LEAVES: list[tuple[dict, str]] = [
    ({"to": "nobody"}, "to"),
    ({"to": "jöhn@example.org"}, "to"),
    ({"to": "bo@example.org\r\nBcc: eve@example.org"}, "to"),
    ({"to": "bo@example.org, eve@example.org"}, "to"),
    ({"subject": "  "}, "subject"),
    ({"subject": "Hi\r\nBcc: eve@example.org"}, "subject"),
    ({"subject": "Hi\u2028there"}, "subject"),
    ({"subject": "x" * 501}, "subject"),
    ({"text": ""}, "text"),
    ({"text": "x" * 500_001}, "text"),
    ({"text": "a\0b"}, "text"),
    ({"headers": {"Bcc": "eve@example.org"}}, "headers"),
    ({"headers": {"X-A": "b\r\nBcc: eve@example.org"}}, "headers"),
    ({"headers": {"X A": "b"}}, "headers"),
    ({"headers": {"From": "eve@example.org"}}, "headers"),
    ({"headers": {"Content-Type": "text/x"}}, "headers"),
    ({"headers": {"Received": "from here"}}, "headers"),
    ({"headers": {f"X-{n}": "b" for n in range(31)}}, "headers"),
    ({"headers": {"X-A": "1", "x-a": "2"}}, "headers"),
    ({"idempotency_key": ""}, "idempotency_key"),
]


async def test_what_could_not_leave_is_refused_at_once(studio: Studio, owner: Database) -> None:
    """A header or address never begins another one."""
    for changed, field in _NEVER_LEAVES:
        refused = await studio.api.post("/messages", json=GIVEN | changed)
        assert refused.status_code == 422, refused.text
        assert field in {one["field"] for one in refused.json()["errors"]}, changed
    async with owner.transaction() as tx:
        assert await tx.value("select count(*) from job where kind = 'send_message'") == 0


async def test_html_alone_brings_a_text_along(studio: Studio) -> None:
    html = '<style>p{}</style><h1>Hi</h1><p>Pay <a href="https://example.org/9">here</a>.</p><ul><li>one<li>two</ul>'
    asked = {"to": "bo@example.org", "subject": "Hi", "html": html}
    made = (await studio.api.post("/messages", json=asked)).json()
    text = (await studio.api.get(f"/messages/{made['id']}")).json()["text"]
    assert text == "Hi\n\nPay here (https://example.org/9).\n\n- one\n- two\n"


async def test_one_that_gave_up_is_tried_again_by_hand_with_the_same_bytes(
    studio: Studio, messages: QueueLoop, provider: Provider
) -> None:
    """L6, L8."""
    made = (await studio.api.post("/messages", json=GIVEN)).json()
    waiting = await studio.api.post(f"/messages/{made['id']}/retry")
    assert waiting.status_code == 409
    assert "pending" in waiting.json()["detail"]
    provider.answers = [mail.Refused("550 no such mailbox"), mail.Accepted()]
    await run(messages)
    dead = (await studio.api.get(f"/messages/{made['id']}")).json()
    assert (dead["state"], dead["reason"]) == ("dead", "550 no such mailbox")
    assert [one["id"] for one in (await studio.api.get("/messages?state=dead")).json()["items"]] == [
        made["id"]
    ]
    retried = await studio.api.post(f"/messages/{made['id']}/retry")
    assert (retried.status_code, retried.json()["state"]) == (200, "pending")
    await run(messages)
    assert (await studio.api.get(f"/messages/{made['id']}")).json()["state"] == "sent"
    assert len(set(provider.bytes_of())) == 1
    assert len(provider.handed) == 2
    sent = await studio.api.post(f"/messages/{made['id']}/retry")
    assert sent.status_code == 409
    assert "sent" in sent.json()["detail"]


async def test_a_throttled_or_unreached_one_says_when_it_is_tried_again(
    studio: Studio, messages: QueueLoop, provider: Provider
) -> None:
    made = (await studio.api.post("/messages", json=GIVEN)).json()
    provider.answers = [mail.NotReached("nobody answers")]
    await run(messages)
    told = (await studio.api.get(f"/messages/{made['id']}")).json()
    assert (told["state"], told["attempts"], told["reason"]) == ("retrying", 1, "nobody answers")
    assert told["next_at"] > told["created_at"]


async def test_lists_go_on_where_they_ended_and_know_their_states(studio: Studio) -> None:
    """Field case K: no row appears twice."""
    for n in range(5):
        await studio.api.post("/messages", json=GIVEN | {"subject": f"Mail {n}"})
    seen, cursor = [], ""
    for _ in range(math.ceil(5 / 2)):
        listed = (await studio.api.get(f"/messages?limit=2{cursor}")).json()
        seen += [one["subject"] for one in listed["items"]]
        cursor = f"&cursor={listed['next']}"
    assert seen == [f"Mail {n}" for n in (4, 3, 2, 1, 0)]
    wrong = await studio.api.get("/messages?state=failed")
    assert wrong.status_code == 422
    assert "dead" in wrong.json()["detail"]
    for unknown in ("/messages/0", "/messages/99999", "/messages/x", "/messages/" + "9" * 30):
        assert (await studio.api.get(unknown)).status_code == 404


async def test_another_account_sees_and_retries_nothing(
    studio: Studio, web: Database, messages: QueueLoop, provider: Provider
) -> None:
    """T1."""
    from tests.accounts.makers import api_key, open_account

    provider.answers = [mail.Refused("no")]
    made = (await studio.api.post("/messages", json=GIVEN)).json()
    await run(messages)
    await open_account(web, "eve@example.org", "elsewhere")
    studio.api.headers.update(await api_key(web, "elsewhere"))
    assert (await studio.api.get(f"/messages/{made['id']}")).status_code == 404
    assert (await studio.api.post(f"/messages/{made['id']}/retry")).status_code == 404
    assert (await studio.api.get("/messages")).json()["items"] == []
