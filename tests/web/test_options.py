"""What the API is asked behind the `?`: only what OpenAPI tells (answers 5)."""

import re
from typing import Any

import httpx
import pytest

from app.base.database import Database
from tests.accounts.makers import api_key
from tests.web_server import browser

PAGED = {"limit", "cursor"}
ASKED = {
    "GET /readers": PAGED | {"email", "state", "tag"},
    "GET /readers/{reader_id}/sends": PAGED,
    "POST /imports": {"format", "newsletter", "dry_run", "consent"},
    "GET /imports": PAGED,
    "GET /posts": PAGED,
    "GET /posts/{post_id}/reading": {"reader"},
    "GET /releases": PAGED,
    "GET /releases/{number}/deliveries": PAGED,
    "GET /endpoints": PAGED,
    "GET /endpoints/{endpoint_id}/deliveries": PAGED | {"state", "type", "release"},
    "GET /broadcasts": PAGED,
    "GET /broadcasts/{broadcast_id}/sends": PAGED | {"state"},
    "GET /messages": PAGED | {"state"},
}
ID = "0198c0de-0000-7000-8000-000000000000"
HERE = "/api/v1"


@pytest.fixture
async def program(godwit: str, web: Database):
    headers = await api_key(web, "tidelines")
    async with browser(godwit) as client:
        client.headers.update(headers)
        yield client


async def calls(program: httpx.AsyncClient) -> dict[str, dict[str, Any]]:
    """Every call of the API as OpenAPI tells it."""
    told = (await program.get("/api/docs/openapi.json")).json()
    return {
        f"{method.upper()} {path.removeprefix(HERE)}": call
        for path, methods in told["paths"].items()
        for method, call in methods.items()
    }


def names(call: dict[str, Any], where: str) -> list[dict[str, Any]]:
    return [one for one in call.get("parameters", ()) if one["in"] == where]


def filled(path: str, call: dict[str, Any]) -> str:
    """The path with an id in each place."""
    for one in names(call, "path"):
        whole = one["schema"].get("type") == "integer"
        path = path.replace("{" + one["name"] + "}", "1" if whole else ID)
    return HERE + path


async def test_openapi_tells_what_each_call_may_be_asked(program: httpx.AsyncClient) -> None:
    told = await calls(program)
    found = {name: {one["name"] for one in names(call, "query")} for name, call in told.items()}
    assert {name: asked for name, asked in found.items() if asked} == ASKED
    states = next(one for one in names(told["GET /readers"], "query") if one["name"] == "state")
    assert states["schema"]["enum"] == ["pending", "active", "unsubscribed", "suppressed"]
    limit = next(one for one in names(told["GET /posts"], "query") if one["name"] == "limit")
    assert limit["schema"] == {"type": "integer", "minimum": 1, "maximum": 200}
    assert all(one["description"] for call in told.values() for one in names(call, "query"))
    page = (await program.get("/api/docs")).text
    assert "<code>?dry_run=</code>" in page


async def test_the_page_shows_each_call_with_what_it_takes_and_answers(program: httpx.AsyncClient) -> None:
    """Closed until somebody opens it, by HTML alone; nothing of OpenAPI is left out."""
    told = await calls(program)
    page = (await program.get("/api/docs")).text
    shown = re.split('<details class="call">', page)[1:]
    assert len(shown) == len(told)
    called = {re.sub(r"<wbr>|\s+", "", re.findall(r"<code>(.+?)</code>", one)[0]): one for one in shown}
    reader = called["POST/readers"]
    for part in ("Takes <code>JSON</code>", "Answers <code>201</code>", "Answers <code>200</code>"):
        assert part in reader
    assert "<dt><code>notice</code></dt>" in reader
    assert "pending, active, unsubscribed or suppressed" in reader
    assert "multipart/form-data" in called["POST/imports"]
    for name, call in told.items():
        one = called[name.replace(" ", "") if "/" in name else "GET/"]
        for status in call["responses"].keys() - {"default"}:
            assert f"Answers <code>{status}</code>" in one, name


async def test_every_call_refuses_what_it_does_not_know_and_names_what_it_does(
    program: httpx.AsyncClient,
) -> None:
    for name, call in (await calls(program)).items():
        method, path = name.split(" ")
        where = filled(path, call)
        answer = await program.request(method, where, params={"dryrun": "1", "x" * 999: "2"})
        assert answer.status_code == 400, name
        assert answer.headers["content-type"] == "application/problem+json"
        problems = answer.json()["errors"]
        assert [one["field"] for one in problems] == ["dryrun", "x" * 60]
        known = ", ".join(one["name"] for one in names(call, "query")) or "takes none"
        assert known in problems[0]["message"], name
        for one in names(call, "query"):
            twice = await program.request(method, f"{where}?{one['name']}=a&{one['name']}=a")
            assert (twice.status_code, "is given twice" in twice.text) == (400, True), name


async def test_a_stranger_learns_nothing_of_what_may_be_asked(program: httpx.AsyncClient) -> None:
    answer = await program.get(f"{HERE}/readers?bogus=1", headers={"Authorization": ""})
    assert answer.status_code == 401
