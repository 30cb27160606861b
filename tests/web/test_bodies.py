"""A JSON body that cannot be used is told in words, under the name of the field."""

import httpx
import pytest

from app.base.database import Database
from tests.accounts.makers import api_key
from tests.web_server import browser

pytestmark = pytest.mark.anyio

WRONG: list[tuple[bytes, str, str]] = [
    (
        b"",
        "body",
        "There is no body. Send a JSON object: it needs to, subject and may have text, html, headers,",
    ),
    (b"[]", "body", "The body has to be an object, and is a list."),
    (b'{"subject": "x"}', "to", "to is missing, and needed."),
    (
        b'{"to": "a@b.example", "subject": "x", "bogus": 1}',
        "bogus",
        "There is no field bogus here. Known are to,",
    ),
    (b'{"to": 5, "subject": "x"}', "to", "to has to be a text, and is a whole number."),
    (b'{"to": "a@b.example", "subject": "x", "headers": {"X-A": 5}}', "headers", "Each in headers has to be"),
]


@pytest.fixture
async def program(godwit: str, web: Database):
    headers = await api_key(web, "tidelines")
    async with browser(godwit) as client:
        client.headers.update(headers | {"Content-Type": "application/json"})
        yield client


@pytest.mark.parametrize(("body", "field", "message"), WRONG)
async def test_what_is_wrong_with_a_body_is_said_by_name(
    program: httpx.AsyncClient, body: bytes, field: str, message: str
) -> None:
    answer = await program.post("/api/v1/messages", content=body)
    assert answer.status_code == 422
    [problem] = answer.json()["errors"]
    assert problem["field"] == field
    assert problem["message"].startswith(message)


async def test_a_word_that_is_no_choice_is_told_the_choices(program: httpx.AsyncClient) -> None:
    path = "/api/v1/broadcasts/0198c0de-0000-7000-8000-000000000000/resolve"
    answer = await program.post(path, content=b'{"as": "gone", "readers": "all"}')
    assert answer.status_code == 422
    assert answer.json()["errors"] == [
        {"field": "as", "message": "as cannot be “gone”. Give one of sent, planned."}
    ]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "readers"),
        ("POST", "posts"),
        ("PUT", "switch"),
        ("PATCH", "posts/0198c0de-0000-7000-8000-000000000000"),
    ],
)
async def test_no_body_at_all_says_what_it_may_hold(
    program: httpx.AsyncClient, method: str, path: str
) -> None:
    answer = await program.request(method, f"/api/v1/{path}")
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("There is no body. Send a JSON object: it ")


async def test_what_is_no_json_says_so(program: httpx.AsyncClient) -> None:
    answer = await program.post("/api/v1/messages", content=b"to=a@b.example")
    assert answer.status_code == 400
    assert answer.json()["detail"].endswith("Send JSON in UTF-8.")
