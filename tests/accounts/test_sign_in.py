"""Signing in (accounts, promises 1 to 4)."""

import asyncio

import httpx
import pytest

from app.base.database import Database
from app.base.settings import settings
from tests.accounts.makers import open_account, sign_in
from tests.web_server import browser, mailed_code, serving


async def test_a_code_from_the_mail_opens_the_studio(ana: httpx.AsyncClient, owner: Database) -> None:
    asked = await ana.post("/sign-in", data={"email": " Ana@Example.COM "})
    assert (asked.status_code, asked.headers["location"]) == (303, "/sign-in/code?email=ana%40example.com")
    code = await mailed_code(owner, "ana@example.com")
    entered = await ana.post(
        "/sign-in/code", data={"email": "ana@example.com", "code": f"{code[:3]} {code[3:]}"}
    )
    assert (entered.status_code, entered.headers["location"]) == (303, "/")
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert (await ana.get("/")).headers["location"] == "/studio/tidelines"
    assert (await ana.get("/studio/tidelines")).status_code == 200


async def test_a_code_works_once(ana: httpx.AsyncClient, studio: str, owner: Database) -> None:
    """Promise 1."""
    await ana.post("/sign-in", data={"email": "ana@example.com"})
    given = {"email": "ana@example.com", "code": await mailed_code(owner, "ana@example.com")}
    assert (await ana.post("/sign-in/code", data=given)).status_code == 303
    async with browser(studio) as other:
        again = await other.post("/sign-in/code", data=given)
    assert again.status_code == 422
    assert "Ask for a new one" in again.text
    assert "set-cookie" not in again.headers


async def test_after_five_wrong_tries_the_right_code_is_dead(ana: httpx.AsyncClient, owner: Database) -> None:
    """Promise 1: and each refusal says how many tries are left, and keeps what was typed."""
    await ana.post("/sign-in", data={"email": "ana@example.com"})
    right = await mailed_code(owner, "ana@example.com")
    wrong = "000000" if right != "000000" else "111111"
    for left in (
        "Four tries are left",
        "Three tries are left",
        "Two tries are left",
        "One try is left",
        "new one",
    ):
        told = await ana.post("/sign-in/code", data={"email": "ana@example.com", "code": wrong})
        assert told.status_code == 422
        assert left in told.text
        assert f'value="{wrong}"' in told.text
    dead = await ana.post("/sign-in/code", data={"email": "ana@example.com", "code": right})
    assert dead.status_code == 422
    assert "Ask for a new one" in dead.text


async def test_a_code_is_dead_after_ten_minutes(ana: httpx.AsyncClient, owner: Database) -> None:
    """Promise 1."""
    await ana.post("/sign-in", data={"email": "ana@example.com"})
    code = await mailed_code(owner, "ana@example.com")
    async with owner.transaction() as tx:
        await tx.execute("update creator_code set expires_at = expires_at - interval '10 minutes 1 second'")
    late = await ana.post("/sign-in/code", data={"email": "ana@example.com", "code": code})
    assert late.status_code == 422
    assert "set-cookie" not in late.headers


async def test_asking_and_trying_tell_nothing_of_who_signs_in(
    floor: None, ana: httpx.AsyncClient, studio: str
) -> None:
    """Promise 2: status, headers, body and floor of time are the same for a stranger's address."""

    async def seen_with(address: str) -> list[tuple[int, str]]:
        seen = []
        async with browser(studio) as client:
            asked = await client.post("/sign-in", data={"email": address})
            seen.append((asked.status_code, asked.headers["location"]))
            assert asked.elapsed.total_seconds() >= 0.25
            for _ in range(6):
                tried = await client.post("/sign-in/code", data={"email": address, "code": "12345x"})
                seen.append((tried.status_code, tried.text))
                assert tried.elapsed.total_seconds() >= 0.25
        return [
            (status, text.replace(address, "X").replace(address.replace("@", "%40"), "X"))
            for status, text in seen
        ]

    known, unknown = await asyncio.gather(seen_with("ana@example.com"), seen_with("bob@example.com"))
    assert known == unknown


async def test_nobody_is_mailed_who_does_not_sign_in_here(ana: httpx.AsyncClient, owner: Database) -> None:
    await ana.post("/sign-in", data={"email": "bob@example.com"})
    async with owner.transaction() as tx:
        assert await tx.value("select count(*) from job") == 0


async def test_a_token_that_a_browser_brings_along_is_not_taken_over(
    ana: httpx.AsyncClient, web: Database, owner: Database
) -> None:
    """Promise 4: session fixation finds nothing to fix."""
    ana.cookies.set("godwit_session", "chosen-by-somebody-else")
    entered = await sign_in(ana, web, "ana@example.com")
    assert "chosen-by-somebody-else" not in entered.headers["set-cookie"]
    async with browser(str(ana.base_url), cookies={"godwit_session": "chosen-by-somebody-else"}) as other:
        assert (await other.get("/studio/tidelines")).headers["location"].startswith("/sign-in")


async def test_signing_in_again_ends_the_session_before(ana: httpx.AsyncClient, web: Database) -> None:
    await sign_in(ana, web, "ana@example.com")
    before = ana.cookies["godwit_session"]
    await sign_in(ana, web, "ana@example.com")
    async with browser(str(ana.base_url), cookies={"godwit_session": before}) as old:
        assert (await old.get("/studio/tidelines")).status_code == 303


@pytest.mark.parametrize(
    "path", ["/", "/sign-in", "/sign-in/code?email=ana@example.com&code=123456", "/first-run"]
)
async def test_no_get_sets_a_cookie(ana: httpx.AsyncClient, path: str) -> None:
    """Promise 4: what a link scanner opens changes nothing."""
    for method in ("HEAD", "GET"):
        seen = await ana.request(method, path)
        assert "set-cookie" not in seen.headers
        assert method == "GET" or seen.content == b""


async def test_opening_the_link_of_the_mail_does_not_use_the_code(
    ana: httpx.AsyncClient, owner: Database
) -> None:
    await ana.post("/sign-in", data={"email": "ana@example.com"})
    code = await mailed_code(owner, "ana@example.com")
    page = await ana.get("/sign-in/code", params={"email": "ana@example.com", "code": code})
    assert f'value="{code}"' in page.text
    assert (
        await ana.post("/sign-in/code", data={"email": "ana@example.com", "code": code})
    ).status_code == 303


async def test_signing_out_ends_the_session_everywhere_it_is_known(
    ana: httpx.AsyncClient, web: Database
) -> None:
    await sign_in(ana, web, "ana@example.com")
    token = ana.cookies["godwit_session"]
    gone = await ana.post("/sign-out")
    assert gone.headers["location"] == "/sign-in"
    assert "You are signed out" in (await ana.get("/sign-in")).text
    assert "You are signed out" not in (await ana.get("/sign-in")).text
    async with browser(str(ana.base_url), cookies={"godwit_session": token}) as copy:
        assert (await copy.get("/studio/tidelines")).status_code == 303


async def test_only_hashes_of_codes_and_tokens_are_kept(
    ana: httpx.AsyncClient, web: Database, owner: Database
) -> None:
    """Promise 3."""
    entered = await sign_in(ana, web, "ana@example.com")
    token = ana.cookies["godwit_session"]
    assert entered.status_code == 303
    async with owner.transaction() as tx:
        kept = await tx.value("select token_hash from creator_session")
    assert token.encode() not in kept
    assert len(kept) == 32


async def test_who_signs_in_arrives_where_they_wanted_to_go(ana: httpx.AsyncClient, owner: Database) -> None:
    sent = await ana.get("/studio/tidelines/settings")
    assert sent.headers["location"] == "/sign-in?next=%2Fstudio%2Ftidelines%2Fsettings"
    for next, arrives in (
        ("/studio/tidelines/settings", "/studio/tidelines/settings"),
        ("https://evil.example", "/"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
    ):
        await ana.post("/sign-in", data={"email": "ana@example.com", "next": next})
        given = {
            "email": "ana@example.com",
            "code": await mailed_code(owner, "ana@example.com"),
            "next": next,
        }
        assert (await ana.post("/sign-in/code", data=given)).headers["location"] == arrives


async def test_an_address_is_asked_for_ten_codes_a_day(
    settings_env: object, web: Database, owner: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Promise 1: for a stranger's address alike, so that the limit tells nothing."""
    monkeypatch.setenv("GODWIT_MODE", "development")
    settings.cache_clear()
    await open_account(web, "ana@example.com", "tidelines")
    async with serving() as url, browser(url) as client:
        for address in ("ana@example.com", "bob@example.com"):
            codes = [(await client.post("/sign-in", data={"email": address})).status_code for _ in range(11)]
            assert codes == [303] * 10 + [429]
    async with owner.transaction() as tx:
        assert await tx.value("select count(*) from job") == 10


@pytest.mark.parametrize("email", ["", "ana", "a@b@c.de", "ana@x\0y.de", "a" * 300 + "@example.com"])
async def test_what_is_no_address_is_said_and_kept(ana: httpx.AsyncClient, email: str) -> None:
    told = await ana.post("/sign-in", data={"email": email})
    assert told.status_code == 422
    assert "error" in told.text or "NUL" in told.text
