"""Which host means what, and what every answer carries (web, promises 1, 2 and 4)."""

import httpx
import pytest
from litestar import get

from app.base.database import Database
from app.base.settings import settings
from app.web import routes
from app.web.hosts import Place, place_of
from tests.accounts.makers import open_account
from tests.web_server import as_if_a_worker_lived, client_of, on_site, serving


async def test_a_host_that_is_not_ours_is_told_so(godwit: str) -> None:
    """Promise 1."""
    async with client_of(godwit) as client:
        for host in ("evil.example", "tidelines.evil.example", "localhost.evil.example"):
            told = await client.get("/sign-in", headers={"Host": host})
            assert told.status_code == 421
            assert "The studio is at http://localhost:8000" in told.text


async def test_a_site_is_no_studio_and_the_studio_no_site(godwit: str, ana: httpx.AsyncClient) -> None:
    """Promise 1: not even with the session's cookie."""
    async with on_site(godwit, "tidelines") as site:
        site.cookies = ana.cookies
        assert (await site.get("/")).status_code == 200
        for path in ("/studio/tidelines", "/api/v1/", "/first-run", "/mailbox"):
            assert (await site.get(path)).status_code == 404
    async with on_site(godwit, "nobody") as site:
        assert (await site.get("/")).status_code == 404


async def test_probes_answer_on_any_host(godwit: str, worker: Database) -> None:
    await as_if_a_worker_lived(worker)
    async with client_of(godwit) as client:
        for path in ("/healthz", "/readyz"):
            assert (await client.get(path, headers={"Host": "10.0.0.7"})).status_code == 200


async def test_every_answer_has_an_id_and_strict_headers(godwit: str) -> None:
    """Promise 2: a plain id that came along is kept."""
    async with client_of(godwit) as client:
        for path in ("/", "/sign-in", "/nope", "/api/v1/", "/healthz", "/static/x/css/base.css"):
            answer = await client.get(path)
            assert len(answer.headers["x-request-id"]) == 32
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "default-src 'none'" in answer.headers["content-security-policy"]
            assert "'unsafe" not in answer.headers["content-security-policy"]
        kept = await client.get("/sign-in", headers={"X-Request-Id": "proxy-1234.abc"})
        assert kept.headers["x-request-id"] == "proxy-1234.abc"
        for bad in ("short", "x" * 65, 'a"><script>'):
            assert (await client.get("/sign-in", headers={"X-Request-Id": bad})).headers[
                "x-request-id"
            ] != bad


async def test_a_job_carries_the_request_as_its_cause(ana: httpx.AsyncClient, owner: Database) -> None:
    """Promise 2."""
    asked = await ana.post("/sign-in", data={"email": "ana@example.com"})
    async with owner.transaction() as tx:
        assert await tx.value("select cause from job") == asked.headers["x-request-id"]


async def test_head_answers_as_get_without_a_body(godwit: str) -> None:
    """Promise 4."""
    async with client_of(godwit) as client:
        for path in ("/sign-in", "/healthz", "/static/x/css/base.css", "/nope"):
            got, head = await client.get(path), await client.head(path)
            assert (head.status_code, head.content) == (got.status_code, b"")
            assert head.headers["content-length"] == got.headers["content-length"]


async def test_what_is_not_done_this_way_is_said_without_a_trace(godwit: str) -> None:
    """Promise 3."""
    async with client_of(godwit, headers={"Origin": godwit}) as client:
        assert (await client.post("/")).status_code == 405
        told = await client.get("/nope")
        assert told.status_code == 404
        assert "Traceback" not in told.text


@pytest.mark.parametrize(
    ("host", "place"),
    [
        ("studio.example.org", Place("studio")),
        ("STUDIO.example.org:443", Place("studio")),
        ("studio.example.org.", Place("studio")),
        ("tidelines.example.org", Place("site", "tidelines")),
        ("a.b.example.org", Place("nowhere")),
        ("example.org", Place("nowhere")),
        ("localhost", Place("nowhere")),
        ("127.0.0.1:8000", Place("nowhere")),
        ("", Place("nowhere")),
    ],
)
def test_in_production_only_configured_names_count(
    settings_env: object, monkeypatch: pytest.MonkeyPatch, host: str, place: Place
) -> None:
    from dataclasses import replace

    told = replace(
        settings(), mode="production", base_url="https://studio.example.org", site_domain="example.org"
    )
    assert place_of(host, told) == place


async def test_static_files_live_for_a_year_under_their_fingerprint(godwit: str) -> None:
    async with client_of(godwit) as client:
        page = (await client.get("/sign-in")).text
        where = page.split('href="')[1].split('"')[0]
        found = await client.get(where)
        assert "immutable" in found.headers["cache-control"]
        assert (await client.get(where, headers={"If-None-Match": found.headers["etag"]})).status_code == 304
        old = await client.get("/static/000000000000/css/base.css")
        assert old.headers["cache-control"] == "no-cache"
        for path in (
            "/static/x/../app/web/asgi.py",
            "/static/x/%2e%2e/pyproject.toml",
            "/static/x/.hidden",
            "/static/x//etc/passwd",
            "/static/x/",
        ):
            assert (await client.get(path)).status_code == 404


async def test_without_the_database_people_are_told_when_to_come_again(
    settings_env: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Promise 5."""
    for role in ("WEB", "WORKER"):
        monkeypatch.setenv(f"GODWIT_{role}_DATABASE_URL", "postgresql://nobody:x@127.0.0.1:1/none")
    settings.cache_clear()
    async with serving() as url, client_of(url) as client:
        for path in ("/", "/first-run?token=x"):
            told = await client.get(path)
            assert (told.status_code, "retry-after" in told.headers) == (503, True)
            assert "Traceback" not in told.text
        program = await client.get("/api/v1/", headers={"Authorization": "Bearer gdw_x"})
        assert program.headers["content-type"] == "application/problem+json"
        assert program.status_code == 503
        assert (await client.get("/readyz")).status_code == 503
        assert (await client.get("/healthz")).status_code == 200
        site = await client.get("/", headers={"Host": "tidelines.localhost"})
        assert site.status_code == 503


async def test_the_api_is_described_without_anything_from_elsewhere(godwit: str) -> None:
    async with client_of(godwit) as client:
        page = await client.get("/api/docs")
        assert page.status_code == 200
        assert "http://" not in page.text.replace("http://localhost", "").replace("http://www.w3.org", "")
        assert "-F file=@members.csv" in page.text
        assert '{"title": "Hello", "markdown": "Hello {first_name, \\"friend\\"}."}' in page.text
        document = (await client.get("/api/docs/openapi.json")).json()
        assert document["openapi"].startswith("3.")
        queue = document["paths"]["/api/v1/messages"]["post"]
        assert "202" in queue["responses"]
        assert queue["responses"]["default"]["content"].keys() == {"application/problem+json"}
        assert "Idempotency-Key" in {one["name"] for one in queue["parameters"]}
        assert document["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
        assert all(path.startswith("/api/v1") for path in document["paths"])


async def test_an_account_that_is_closed_has_no_site(godwit: str, owner: Database, web: Database) -> None:
    await open_account(web, "bob@example.com", "mudflats")
    async with owner.transaction() as tx:
        await tx.execute("update account set state = 'closed' where slug = 'mudflats'")
    async with on_site(godwit, "mudflats") as site:
        assert (await site.get("/")).status_code == 404


async def test_an_error_of_ours_shows_no_trace_and_is_logged_under_the_requests_id(
    settings_env: object, web: Database, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Promise 3."""

    @get("/tests/broken")
    async def broken() -> str:
        raise RuntimeError("a secret of the server room")

    monkeypatch.setattr(routes, "ANYONE", (*routes.ANYONE, broken))
    async with serving() as url, client_of(url) as client:
        told = await client.get("/tests/broken", headers={"X-Request-Id": "under-this-id"})
    assert told.status_code == 500
    assert "secret" not in told.text
    logged = capfd.readouterr().err
    assert "under-this-id" in logged
    assert "a secret of the server room" in logged
