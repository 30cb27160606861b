"""No garbage in an address of the API is a fault of ours: each place of each call that it tells is tried."""

import httpx
import pytest

from app.base.database import Database
from tests.accounts.makers import api_key, open_account
from tests.web.test_options import HERE, ID, calls, filled, names
from tests.web_server import browser

GARBAGE = (
    *("%00", "%FF", "9" * 5000, "-1", "1e9", "", "W10", "bnVsbA", "WyJ4Il0", "'", ID),
    # ["9999-12-31T23:59:59-23:59","…"] and [99999999999999999999]: cursors of the right form.
    "WyI5OTk5LTEyLTMxVDIzOjU5OjU5LTIzOjU5IiwiMDE5OGMwZGUtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMDAwIl0",
    "Wzk5OTk5OTk5OTk5OTk5OTk5OTk5XQ",
    "WzkyMjMzNzIwMzY4NTQ3NzU4MDdd",
)


@pytest.fixture
async def program(godwit: str, web: Database):
    await open_account(web, "ana@example.com", "tidelines")
    headers = await api_key(web, "tidelines")
    async with browser(godwit) as client:
        client.headers.update(headers)
        yield client


async def test_no_garbage_in_an_address_of_the_api_is_a_fault_of_ours(program: httpx.AsyncClient) -> None:
    broken = []
    for name, call in (await calls(program)).items():
        method, path = name.split(" ")
        if method == "GET":
            asked = [
                f"{filled(path, call)}?{one['name']}={value}"
                for one in names(call, "query")
                for value in GARBAGE
            ]
            asked += [
                HERE + path.replace("{" + one["name"] + "}", value or "%20")
                for one in names(call, "path")
                for value in GARBAGE
            ]
        else:
            asked = [
                HERE + path.replace("{" + one["name"] + "}", value)
                for one in names(call, "path")
                for value in ("9" * 5000, "3000000000", "%00", "-1")
            ]
        for where in asked:
            answer = await program.request(method, where)
            if answer.status_code >= 500:
                broken.append((name, where[:120]))
    assert broken == []
