"""The mailbox as testers read it: what matches, or what arrives while they wait."""

import asyncio
import base64
import time
from dataclasses import replace
from uuid import uuid4

import httpx
import pytest

from app.base.database import Database
from app.mail import Mail, current_provider
from tests.broadcasts.makers import Studio
from tests.mail.makers import make_mail
from tests.testing.makers import working

pytestmark = pytest.mark.anyio


async def hand_over(web: Database, *mails: Mail) -> None:
    async with web.transaction() as tx:
        until = await tx.value("select clock_timestamp() + interval '30 seconds'")
    for mail in mails:
        await current_provider().deliver([mail], batch_id=uuid4(), call_until=until)


def a_code(to: str, code: str) -> Mail:
    mail = make_mail(
        to=to, kind="code", text=f"Your code:\n\n    {code}\n\nOr http://localhost/sign-in/code?x=1."
    )
    return replace(mail, account_id=None, html=None, subject=f"{code} is your code")


async def test_mails_come_newest_first_and_whole(tester: httpx.AsyncClient, web: Database) -> None:
    first = make_mail(to="anna@example.com", html='<a href="https://a.example/x?a=1&amp;b=2">x</a>')
    await hand_over(web, first, make_mail(to="ben@example.com"), a_code("ana@example.com", "123456"))
    items = (await tester.get("/mailbox")).json()["items"]
    assert [item["to"] for item in items] == ["ana@example.com", "ben@example.com", "anna@example.com"]
    code, anna = items[0], items[2]
    assert code["code"] == "123456"
    assert code["links"] == ["http://localhost/sign-in/code?x=1"]
    assert anna["code"] is None
    assert anna["links"] == ["https://a.example/x?a=1&b=2"]
    assert {header["name"] for header in anna["headers"]} >= {"From", "To", "Subject", "Message-ID"}
    raw = base64.b64decode(anna["raw_base64"])
    assert raw.startswith(b"From: The Godwit <post@example.org>\r\n")
    assert set(anna) >= {"to", "from", "subject", "text", "html", "headers", "raw_base64", "code", "links"}


async def test_a_filter_takes_any_spelling_of_an_address(tester: httpx.AsyncClient, web: Database) -> None:
    await hand_over(web, make_mail(to="anna@example.com"), a_code("anna@example.com", "111111"))
    found = (await tester.get("/mailbox", params={"to": " Anna@Example.com", "kind": "code"})).json()["items"]
    assert [item["code"] for item in found] == ["111111"]
    assert len((await tester.get("/mailbox?limit=1")).json()["items"]) == 1
    since = found[0]["at"]
    assert len((await tester.get("/mailbox", params={"since": since})).json()["items"]) == 1


async def test_a_wait_answers_at_the_first_match(tester: httpx.AsyncClient, web: Database) -> None:
    waiting = asyncio.create_task(tester.get("/mailbox?to=anna@example.com&wait=20"))
    await hand_over(web, make_mail(to="ben@example.com"))
    assert not waiting.done()
    began = time.monotonic()
    await hand_over(web, make_mail(to="anna@example.com"))
    items = (await waiting).json()["items"]
    assert [item["to"] for item in items] == ["anna@example.com"]
    assert time.monotonic() - began < 10


async def test_a_wait_for_nothing_ends_with_nothing(tester: httpx.AsyncClient) -> None:
    answer = await tester.get("/mailbox?wait=0.2")
    assert answer.status_code == 200
    assert answer.json() == {"items": []}


async def test_the_mailbox_is_emptied(tester: httpx.AsyncClient, web: Database) -> None:
    await hand_over(web, make_mail(to="anna@example.com"), make_mail(to="ben@example.com"))
    assert (await tester.delete("/mailbox?to=anna@example.com")).json() == {"deleted": 1}
    assert (await tester.delete("/mailbox")).json() == {"deleted": 1}
    assert (await tester.get("/mailbox")).json() == {"items": []}


async def test_one_account_does_not_read_anothers_mail(
    tester: httpx.AsyncClient, studio: Studio, web: Database
) -> None:
    mine = replace(make_mail(to="anna@example.com"), account_id=studio.desk.account_id)
    other = replace(make_mail(to="anna@example.com"), account_id=studio.desk.account_id + 1)
    await hand_over(web, mine, other, a_code("ana@example.com", "222222"))
    items = (await tester.get("/mailbox?account=tidelines")).json()["items"]
    assert sorted(item["kind"] for item in items) == ["broadcast", "code"]
    assert (await tester.get("/mailbox?account=nobody")).status_code == 404


async def test_every_mail_of_a_broadcast_is_there_once(studio: Studio, tester: httpx.AsyncClient) -> None:
    """L1, as a journey sees it: press, drain, count."""
    await studio.press()
    async with working(studio.worker):
        drained = (await tester.post("/drain", json={"timeout": 30})).json()
    assert drained["quiet"] is True
    items = (await tester.get("/mailbox?kind=broadcast&limit=10000")).json()["items"]
    assert sorted(item["to"] for item in items) == sorted(f"reader{n}@example.org" for n in range(1, 13))
    assert all("<em>land</em>" in item["html"] for item in items)
    assert all("%recipient.name%" in item["text"] for item in items)


_WRONG: list[tuple[str, str]] = [
    ("kind=letter", "kind"),
    ("to=nobody", "to"),
    ("since=yesterday", "since"),
    ("since=0001-01-01T00:00:00%2B14:00", "since"),
    ("limit=10001", "limit"),
    ("limit=1.5", "limit"),
    ("wait=nan", "wait"),
    ("wait=61", "wait"),
    ("until=5", "until"),
]


async def test_what_is_asked_wrongly_is_told_by_name(
    subtests: pytest.Subtests, tester: httpx.AsyncClient
) -> None:
    for query, field in _WRONG:
        with subtests.test(query=query, field=field):
            told = await tester.get(f"/mailbox?{query}")
            assert told.status_code == 422
            assert told.headers["content-type"].startswith("application/problem+json")
            assert [one["field"] for one in told.json()["errors"]] == [field]
