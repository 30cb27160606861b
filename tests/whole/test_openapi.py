"""Every call of the API answers what OpenAPI says of it: no field more, none less, no other status."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import pytest

from app.audiences import ReaderFilter, make_segment
from app.base import clock
from app.base.database import Database
from app.mail import Unknown
from app.plans import plan_named
from tests.answers_checked import Described, Program
from tests.broadcasts.makers import Studio, a_studio, handed, in_state
from tests.imports.foreign_files import ghost, ghost_post
from tests.imports.makers import HEADER, run_once
from tests.messages.makers import a_loop, run
from tests.web_server import client_of

CONSENT = {"source": "the fair in May"}
MEMBERS = f"{HEADER}dora@example.org,Dora,,true,2024-01-02T03:04:05Z,\nno address,,,true,,\n"
NOBODY = "0198c0de-0000-7000-8000-000000000000"


@pytest.fixture
async def studio(godwit: str, web: Database, worker: Database) -> AsyncIterator[Studio]:
    """Ana's studio, with twelve readers, a plan and a segment."""
    async with a_studio(godwit, web, worker) as made:
        async with web.transaction(made.desk.account_id) as tx:
            await plan_named(tx, "gold", "Gold")
            await make_segment(tx, "Active", ReaderFilter(state="active"), "Ana")
        yield made


@pytest.fixture
async def program(godwit: str, studio: Studio) -> Program:
    """A program that holds each answer against the document."""
    async with client_of(godwit) as anybody:
        document = (await anybody.get("/api/docs/openapi.json")).json()
    return Program(studio.api, Described(document))


async def readers(program: Program) -> None:
    """A reader from their first day to their last."""
    anna = {"email": "anna@example.org", "name": "Anna", "tags": ["early"], "consent": CONSENT}
    made = await program("POST", "/readers", json=anna)
    await program("POST", "/readers", json=anna)
    await program("POST", "/readers", json={"email": "asked@example.org"})
    await program("POST", "/readers", json={"email": "nothing"}, status=422)
    await program("PATCH", "/readers/{reader_id}", made["id"], json={"note": "from Deal"})
    await program("GET", "/readers/{reader_id}", made["id"])
    await program("GET", "/readers/{reader_id}", NOBODY, status=404)
    page = await program("GET", "/readers", params={"limit": 3})
    await program("GET", "/readers", params={"cursor": page["next"]})
    await program("GET", "/readers", params={"state": "odd"}, status=422)
    await program("DELETE", "/readers/{reader_id}", made["id"])


async def posts(program: Program) -> None:
    """A post from its draft to its leaving the site."""
    made = await program("POST", "/posts", json={"title": "Hello", "markdown": "One.", "tags": ["a"]})
    post = made["id"]
    await program("PATCH", "/posts/{post_id}", post, json={"version": 1, "markdown": "Two."})
    await program("PATCH", "/posts/{post_id}", post, json={"version": 1, "markdown": "Three."}, status=409)
    at = (clock.now() + timedelta(hours=5)).isoformat()
    waits = await program("POST", "/posts/{post_id}/publish", post, json={"site": True, "at": at})
    await program("GET", "/scheduled")
    await program("GET", "/scheduled/{scheduled_id}", waits["scheduled"])
    await program("POST", "/scheduled/{scheduled_id}/cancel", waits["scheduled"])
    live = await program("POST", "/posts/{post_id}/publish", post, json={"site": True})
    await program("GET", "/posts/{post_id}", post)
    await program("GET", "/posts/{post_id}/reading", post)
    other = await program("POST", "/posts", json={"title": "Never"})
    await program("GET", "/posts")
    await program("DELETE", "/posts/{post_id}", other["id"])
    await program("POST", "/releases/{number}/restore", live["release"], json={}, status=409)
    page = await program("GET", "/releases")
    assert page["items"]
    await program("GET", "/releases/{number}", live["release"])
    await program("POST", "/posts/{post_id}/unpublish", post)
    await program("POST", "/posts/{post_id}/unpublish", post, status=409)
    await program("POST", "/releases/{number}/restore", live["release"])


async def imports(program: Program, worker: Database) -> None:
    """A file, as the body and as a form's."""
    made = await program("POST", "/imports", content=MEMBERS.encode(), headers={"content-type": "text/csv"})
    await run_once(worker)
    done = await program("GET", "/imports/{import_id}", made["id"])
    assert done["errors"]
    await program("POST", "/imports", files={"file": ("members.csv", MEMBERS.encode())})
    await program("POST", "/imports", content=ghost(ghost_post(1)))
    await program("GET", "/imports")


async def broadcasts(program: Program, studio: Studio) -> None:
    """An email with failed, unsure, sent copies, and each act on it."""
    begun = await in_state(studio, "sending")
    await handed(studio, begun, 1, Unknown("no answer"))
    going = str(begun)
    await program("POST", "/broadcasts/{broadcast_id}/pause", going)
    await program("POST", "/broadcasts/{broadcast_id}/pause", going, status=409)
    await program("POST", "/broadcasts/{broadcast_id}/resume", going)
    await program("POST", "/broadcasts/{broadcast_id}/retry-failed", going)
    await program("POST", "/broadcasts/{broadcast_id}/send-to-missing", going)
    await program("POST", "/broadcasts/{broadcast_id}/resolve", going, json={"as": "sent", "readers": "all"})
    page = await program("GET", "/broadcasts/{broadcast_id}/sends", going)
    assert page["items"]
    await program("GET", "/broadcasts/{broadcast_id}", going)
    await program("POST", "/broadcasts/{broadcast_id}/cancel", going)
    await program("GET", "/broadcasts")
    sends = await program("GET", "/readers/{reader_id}/sends", page["items"][0]["reader"])
    assert sends["items"]


async def messages(program: Program, tester: httpx.AsyncClient, worker: Database) -> None:
    """A mail of a program's own, refused and tried again."""
    invoice = {"to": "dora@example.org", "subject": "12", "text": "…", "idempotency_key": "invoice-12"}
    made = await program("POST", "/messages", json=invoice)
    await program("POST", "/messages", json=invoice)
    await program("GET", "/messages")
    await program("GET", "/messages/{message_id}", made["id"])
    await program("POST", "/messages/{message_id}/retry", made["id"], status=409)
    refuse = {"target": "provider", "kind": "refuse", "match": {"to": "dora@example.org"}}
    assert (await tester.post("/faults", json=refuse)).status_code == 201
    await run(a_loop(worker))
    dead = await program("GET", "/messages/{message_id}", made["id"])
    assert dead["tries"]
    await program("POST", "/messages/{message_id}/retry", made["id"])


async def webhooks(program: Program, release: int) -> None:
    """A webhook that is told of a version, tested, changed and deleted."""
    away = {"url": "https://hooks.invalid/godwit", "events": ["*"]}
    made = await program("POST", "/endpoints", json=away)
    await program("POST", "/endpoints", json=away | {"events": ["post.burnt"]}, status=422)
    one = made["id"]
    page = await program("GET", "/endpoints", params={"limit": 1})
    assert page["items"]
    await program("GET", "/endpoints/{endpoint_id}", one)
    await program("PATCH", "/endpoints/{endpoint_id}", one, json={"state": "paused"})
    await program("POST", "/endpoints/{endpoint_id}/test", one, status=409)
    await program("PATCH", "/endpoints/{endpoint_id}", one, json={"state": "active"})
    await program("POST", "/endpoints/{endpoint_id}/rotate", one, json={"overlap_hours": 1})
    sent = await program("POST", "/endpoints/{endpoint_id}/test", one)
    page = await program("GET", "/endpoints/{endpoint_id}/deliveries", one, params={"state": "pending"})
    assert page["items"]
    await program("GET", "/deliveries/{delivery_id}", sent["id"])
    await program("POST", "/deliveries/{delivery_id}/redeliver", sent["id"])
    await program("GET", "/deliveries/{delivery_id}", NOBODY, status=404)
    await program("GET", "/releases/{number}/deliveries", release)
    await program("DELETE", "/endpoints/{endpoint_id}", one)


async def switch(program: Program) -> None:
    """Mail stopped, started, let go."""
    await program("PUT", "/switch", json={"on": True, "scope": "all", "reason": "Wrong prices"})
    await program("POST", "/messages", json={"to": "eva@example.org", "subject": "13", "text": "…"})
    await program("PUT", "/switch", json={"on": False})
    await program("GET", "/switch")
    await program("POST", "/switch/let-go")


async def test_every_answer_is_as_openapi_says(
    program: Program, studio: Studio, tester: httpx.AsyncClient
) -> None:
    for path in ("", "/newsletters", "/segments", "/plans"):
        await program("GET", path)
    await readers(program)
    await posts(program)
    await imports(program, studio.worker)
    await broadcasts(program, studio)
    await messages(program, tester, studio.worker)
    newest = await program("GET", "/releases", params={"limit": 1})
    await webhooks(program, newest["items"][0]["number"])
    await switch(program)
    described = program.described
    assert described.good_ends() - described.asked == set()


async def test_a_field_too_many_one_too_few_and_another_status_are_seen(program: Program) -> None:
    """The test above fails for what is not declared, and for what is declared and not there."""
    described, where = program.described, "/api/v1/newsletters"
    answer = await program.client.get("newsletters")
    whole = answer.json()
    (one,) = whole["items"]

    def found(body: Any, status: int = 200) -> list[str]:
        return described.problems("GET", where, httpx.Response(status, json=body))

    assert found(whole) == []
    (more,) = found(whole | {"items": [one | {"colour": "red"}]})
    assert "'colour' was unexpected" in more
    (less,) = found(whole | {"items": [{name: one[name] for name in ("id", "slug", "name")}]})
    assert "'default' is a required property" in less
    assert found(whole | {"next": 3}) != []
    assert found(whole, 201) == ["201 is not declared"]
    assert found(whole, 404) == ["'application/json' is not declared"]
