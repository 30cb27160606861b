"""API keys in the studio: made and shown once, listed by name, revoked for good; by owners alone."""

import html
import re

import httpx
import pytest

from app.base.database import Database
from app.base.ids import new
from app.base.settings import settings
from tests.accounts.makers import become, open_account, sign_in

pytestmark = pytest.mark.anyio
URL = "/studio/tidelines/keys"


@pytest.fixture
async def page(ana: httpx.AsyncClient, web: Database) -> httpx.AsyncClient:
    """Ana's browser, signed in."""
    await sign_in(ana, web, "ana@example.com")
    return ana


async def made(page: httpx.AsyncClient, name: str = "Zapier") -> tuple[str, httpx.Response]:
    """A key made by the form as it stands; the key, and the answer that showed it."""
    fresh = re.search(r'name="id" value="([^"]+)"', (await page.get(URL)).text)
    assert fresh is not None
    shown = await page.post(URL, data={"name": name, "id": fresh[1]})
    key = re.search(r"gdw_[\w-]+", shown.text)
    assert key is not None, shown.text
    return key[0], shown


async def call(page: httpx.AsyncClient, key: str) -> httpx.Response:
    return await page.get("/api/v1/newsletters", headers={"Authorization": f"Bearer {key}"})


async def test_a_key_works_at_once_and_is_shown_once(page: httpx.AsyncClient) -> None:
    key, shown = await made(page, "Zapier & co")
    assert (shown.status_code, shown.headers["cache-control"]) == (200, "no-store")
    assert (await call(page, key)).status_code == 200
    listed = (await page.get(URL)).text
    assert key not in listed
    assert key[-4:] in listed
    assert "Zapier &amp; co" in listed


async def test_the_answer_loaded_anew_makes_no_second_key(page: httpx.AsyncClient) -> None:
    typed = {"name": "Zapier", "id": str(new())}
    first = await page.post(URL, data=typed)
    again = await page.post(URL, data=typed)
    assert (first.status_code, again.status_code) == (200, 422)
    assert "made and shown already" in html.unescape(again.text)
    assert "gdw_" not in again.text
    assert (await page.get(URL)).text.count("ends in") == 1


async def test_a_revoked_key_is_refused_from_then_on(page: httpx.AsyncClient) -> None:
    key, _ = await made(page)
    listed = await page.get(URL)
    where = re.search(rf'href="({URL}/[0-9a-f-]+)"', listed.text)
    assert where is not None
    asked = await page.get(where[1])
    assert "Revoke the key Zapier?" in html.unescape(asked.text)
    assert (await call(page, key)).status_code == 200  # asking changed nothing
    assert "A program used it" in (await page.get(where[1])).text
    done = await page.post(f"{where[1]}/revoke")
    assert (done.status_code, done.headers["location"]) == (303, URL)
    assert (await call(page, key)).status_code == 401
    assert "is revoked" in (await page.get(URL)).text
    for gone in (await page.get(where[1]), await page.post(f"{where[1]}/revoke")):
        assert (gone.status_code, "was revoked" in gone.text) == (404, True)


async def test_a_name_that_says_nothing_comes_back_with_the_reason(page: httpx.AsyncClient) -> None:
    for name, said in (
        ("  ", "Say what the key is for."),
        ("x" * 121, "the most is 120"),
        ("a\x07b", "control"),
    ):
        refused = await page.post(URL, data={"name": name, "id": str(new())})
        assert (refused.status_code, said in refused.text) == (422, True)
    broken = await page.post(URL, data={"name": "Zapier", "id": "one"})
    assert (broken.status_code, "Load the page anew" in broken.text) == (422, True)
    assert "No program has a key" in (await page.get(URL)).text


async def test_a_hundred_keys_are_the_most(page: httpx.AsyncClient, owner: Database) -> None:
    async with owner.transaction() as tx:
        await tx.execute(
            "insert into api_key (account_id, id, name, key_hash, hint)"
            " select a.id, gen_random_uuid(), 'k', convert_to(n::text, 'utf8'), 'abcd'"
            " from account a, generate_series(1, 100) n where slug = 'tidelines'"
        )
    refused = await page.post(URL, data={"name": "One more", "id": str(new())})
    assert (refused.status_code, "which is the most" in refused.text) == (422, True)


@pytest.mark.parametrize("role", ["editor", "writer"])
async def test_keys_are_for_owners(page: httpx.AsyncClient, owner: Database, role: str) -> None:
    async with owner.transaction() as tx:
        await become(tx, role)
    for answer in (await page.get(URL), await page.post(URL, data={"name": "x", "id": str(new())})):
        assert (answer.status_code, "Only an owner" in answer.text) == (403, True)
    assert f'href="{URL}"' not in (await page.get("/studio/tidelines/settings")).text


async def test_another_publications_key_is_not_there(
    page: httpx.AsyncClient, web: Database, owner: Database
) -> None:
    """T1."""
    await made(page)
    await open_account(web, "bea@example.com", "elsewhere")
    async with owner.transaction() as tx:
        await tx.execute("update api_key set account_id = (select id from account where slug = 'elsewhere')")
        other = await tx.value("select id from api_key")
    assert (await page.get(f"{URL}/{other}")).status_code == 404
    assert (await page.post(f"{URL}/{other}/revoke")).status_code == 404
    async with owner.transaction() as tx:
        assert await tx.value("select revoked_at from api_key") is None


async def test_a_key_that_is_used_moves_to_the_newest_secret(
    page: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the old secret can be left out of GODWIT_SECRET_KEYS one day."""
    old, new_ = "Z29kd2l0LXRlc3RzLWtub3ctdGhpcy1rZXktYnktaGU", "bmV3ZXIta2V5LW5ld2VyLWtleS1uZXdlci1rZXktMTI"
    used, _ = await made(page, "Used")
    idle, _ = await made(page, "Idle")
    for keys, wanted in ((f"{new_},{old}", (200,)), (new_, (200, 401))):
        monkeypatch.setenv("GODWIT_SECRET_KEYS", keys)
        settings.cache_clear()
        answers = [await call(page, key) for key in (used, idle)[: len(wanted)]]
        assert tuple(one.status_code for one in answers) == wanted
