"""Forms from elsewhere, and bodies nobody should send."""

from urllib.parse import urlencode

import httpx
import pytest

from app.base.database import Database
from app.base.settings import settings
from app.readers import reader_cookie
from tests.web_server import browser, client_of, serving

SETTINGS = {"name": "T", "description": "", "postal_address": "", "sender_name": "", "reply_to": ""}


_ELSEWHERE: list[dict[str, str]] = [
    {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
    {"Origin": "http://tidelines.localhost", "Sec-Fetch-Site": "same-site"},
    {"Origin": "null"},
    {"Origin": "http://[::1"},
    {"Origin": "http://localhost:99999999"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {},
]


async def test_a_form_from_elsewhere_changes_nothing(
    subtests: pytest.Subtests, godwit: str, ana: httpx.AsyncClient, owner: Database
) -> None:
    for headers in _ELSEWHERE:
        with subtests.test(headers=headers):
            async with client_of(godwit, cookies=dict(ana.cookies), headers=headers) as forged:
                for path, data in (
                    ("/studio/tidelines/settings", SETTINGS),
                    ("/sign-out", {}),
                    ("/sign-in", {}),
                ):
                    told = await forged.post(path, data=data)
                    assert told.status_code == 403
                    assert "http://localhost:8000" in told.text or "Open the studio" in told.text
            async with owner.transaction() as tx:
                assert await tx.value("select name from account where slug = 'tidelines'") == "Tidelines"
                assert await tx.value("select count(*) from creator_session") == 1


@pytest.mark.parametrize("said", [{}, {"X-Forwarded-Proto": "http"}, {"X-Forwarded-Proto": "https"}])
async def test_behind_a_proxy_the_configured_address_decides(
    settings_env: object, monkeypatch: pytest.MonkeyPatch, said: dict[str, str]
) -> None:
    """TLS ends at the proxy, which sends no X-Forwarded-Proto, or a wrong one (field case L)."""
    monkeypatch.setenv("GODWIT_BASE_URL", "https://studio.example.org")
    settings.cache_clear()
    async with serving() as url, client_of(url) as client:
        proxied = {"Host": "studio.example.org"} | said
        good = await client.post(
            "/sign-in", data={"email": "a@b.de"}, headers=proxied | {"Origin": "https://studio.example.org"}
        )
        assert good.status_code == 303
        wrong = await client.post(
            "/sign-in", data={"email": "a@b.de"}, headers=proxied | {"Origin": "http://studio.example.org"}
        )
        assert wrong.status_code == 403
        assert "GODWIT_BASE_URL" in wrong.text


async def test_another_spelling_of_our_host_is_told_which_is_ours(
    settings_env: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """www or not (field case L): a clear answer, and no form is taken there."""
    monkeypatch.setenv("GODWIT_BASE_URL", "https://studio.example.org")
    settings.cache_clear()
    async with serving() as url, client_of(url) as client:
        for host in ("www.studio.example.org", "example.org"):
            told = await client.get("/sign-in", headers={"Host": host})
            assert told.status_code >= 400
            assert "https://studio.example.org" in told.text
            origin = {"Host": host, "Origin": f"https://{host}"}
            refused = await client.post("/sign-in", data={"email": "a@b.de"}, headers=origin)
            assert (refused.status_code >= 400, "set-cookie" in refused.headers) == (True, False)


def test_a_readers_cookie_is_secure_where_the_address_is(
    settings_env: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    for base, secure in (("https://studio.example.org", True), ("http://localhost:8000", False)):
        monkeypatch.setenv("GODWIT_BASE_URL", base)
        settings.cache_clear()
        cookie = reader_cookie("a token")
        assert (cookie.secure, cookie.httponly, cookie.samesite, cookie.domain) == (secure, True, "lax", None)


async def test_over_https_the_cookie_is_bound_to_its_host(
    settings_env: object, web: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.accounts.makers import open_account, sign_in

    monkeypatch.setenv("GODWIT_BASE_URL", "https://studio.example.org")
    settings.cache_clear()
    await open_account(web, "ana@example.com", "tidelines")
    async with (
        serving() as url,
        client_of(
            url, headers={"Host": "studio.example.org", "Origin": "https://studio.example.org"}
        ) as client,
    ):
        cookie = (await sign_in(client, web, "ana@example.com")).headers["set-cookie"]
    assert cookie.startswith("__Host-godwit=")
    assert "Secure" in cookie
    assert "Path=/" in cookie
    assert "Domain" not in cookie


_FIELDS: list[str] = ["name", "description", "postal_address", "reply_to"]
_UNKEPT: list[str] = ["a\0b", "%ED%A0%80", "x" * 30_000]


async def test_what_cannot_be_kept_is_refused_by_name(
    subtests: pytest.Subtests, ana: httpx.AsyncClient
) -> None:
    for field in _FIELDS:
        for value in _UNKEPT:
            with subtests.test(field=field, value=value[:12]):
                body = (
                    urlencode({**SETTINGS, field: ""})
                    + f"&{field}={value if '%' in value else urlencode({'': value})[1:]}"
                )
                told = await ana.post(
                    "/studio/tidelines/settings",
                    content=body,
                    headers={"Content-Type": "application/x-www-form-urlencoded"},
                )
                assert told.status_code == 422
                assert "Traceback" not in told.text


async def test_a_huge_body_is_refused_with_a_sentence(ana: httpx.AsyncClient) -> None:
    told = await ana.post("/sign-in", data={"email": "x" * 10_000_000})
    assert told.status_code == 413
    assert "more than Godwit takes" in told.text


async def test_broken_bodies_are_told_apart(ana: httpx.AsyncClient, web: Database) -> None:
    from tests.accounts.makers import api_key

    for kind, body in (
        ("multipart/form-data; boundary=x", b"--x\r\nbroken"),
        ("multipart/form-data", b""),
        ("application/x-www-form-urlencoded", b"email=\xff"),
        ("application/json", b"{}"),
    ):
        told = await ana.post("/sign-in", content=body, headers={"Content-Type": kind})
        assert told.status_code in (400, 422), kind
    headers = await api_key(web, "tidelines")
    for body in (
        b"[" * 100_000 + b"]" * 100_000,
        b"{",
        b'"x"',
        b"\xff",
        b'{"email":"a\\u0000b@c.de"}',
        b'{"email":5}',
    ):
        answer = await ana.post(
            "/api/v1/readers", content=body, headers=headers | {"Content-Type": "application/json"}
        )
        assert answer.status_code in (400, 422), body[:40]
        assert answer.headers["content-type"] == "application/problem+json"


async def test_htmx_is_told_at_the_top_of_the_page(ana: httpx.AsyncClient) -> None:
    told = await ana.post(
        "/sign-in", content=b"{}", headers={"Content-Type": "application/json", "HX-Request": "true"}
    )
    assert told.status_code == 422
    assert told.headers["hx-retarget"] == "main"
    assert "<html" not in told.text
    assert told.headers["vary"] == "HX-Request"


async def test_without_a_session_htmx_is_sent_to_sign_in(godwit: str) -> None:
    async with browser(godwit) as stranger:
        told = await stranger.get("/studio/tidelines", headers={"HX-Request": "true"})
    assert (told.status_code, told.headers["hx-redirect"]) == (401, "/sign-in")
