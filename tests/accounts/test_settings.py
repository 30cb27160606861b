"""What a publication says of itself: who may change it, what it may be, and what is said when it may not."""

import httpx
import pytest

from app.base.database import Database
from tests.accounts.makers import become, sign_in

pytestmark = pytest.mark.anyio
URL = "/studio/tidelines/settings"
TYPED = {
    "name": "Tide & lines",
    "description": "",
    "postal_address": "1 Quay",
    "sender_name": "",
    "reply_to": "",
    "zone": "Europe/Stockholm",
    "undo_seconds": "300",
}


@pytest.fixture
async def page(ana: httpx.AsyncClient, web: Database) -> httpx.AsyncClient:
    """Ana's browser, signed in."""
    await sign_in(ana, web, "ana@example.com")
    return ana


async def test_only_an_owner_changes_the_settings(page: httpx.AsyncClient, owner: Database) -> None:
    saved = await page.post(URL, data=TYPED)
    assert saved.status_code == 303
    shown = (await page.get(URL)).text
    assert "Saved." in shown
    assert "Tide &amp; lines" in shown
    bad = await page.post(URL, data={**TYPED, "name": "", "reply_to": "nobody"})
    assert bad.status_code == 422
    assert "Give the publication a name" in bad.text
    assert 'value="nobody"' in bad.text
    async with owner.transaction() as tx:
        await become(tx, "writer")
    assert (await page.post(URL, data=TYPED)).status_code == 403
    assert 'disabled=""' in (await page.get(URL)).text


async def test_the_undo_time_is_chosen_and_one_given_otherwise_stays(
    page: httpx.AsyncClient, owner: Database
) -> None:
    assert '<option value="30" selected>30 seconds</option>' in (await page.get(URL)).text
    await page.post(URL, data=TYPED)
    assert '<option value="300" selected>5 minutes</option>' in (await page.get(URL)).text
    async with owner.transaction() as tx:
        await tx.execute("update account set undo_seconds = 90 where slug = 'tidelines'")
    assert '<option value="90" selected>90 seconds</option>' in (await page.get(URL)).text
    for given in ("601", "-1", "soon", "", "\u00b2", "9" * 200, "9" * 5000):
        refused = await page.post(URL, data={**TYPED, "undo_seconds": given})
        assert refused.status_code == 422
        assert 'href="#undo_seconds">Choose how long: 0 to 600 seconds.' in refused.text
    async with owner.transaction() as tx:
        assert await tx.value("select undo_seconds from account where slug = 'tidelines'") == 90


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Europe/Stockholm", "Europe/Stockholm"),
        (" europe/stockholm ", "Europe/Stockholm"),
        ("new york", "America/New_York"),
        ("utc", "UTC"),
    ],
)
async def test_times_are_written_in_the_zone_that_was_meant(
    page: httpx.AsyncClient, typed: str, kept: str
) -> None:
    assert (await page.post(URL, data={**TYPED, "zone": typed})).status_code == 303
    assert f'name="zone" type="text" value="{kept}"' in (await page.get(URL)).text
    assert f' {kept}">' in (await page.get("/studio/tidelines")).text


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Give a time zone"),
        ("Atlantis", "There is no time zone “Atlantis”"),
        ("Etc/GMT+5", "There is no time zone"),
        ("../../etc/passwd", "There is no time zone"),
        ("louisville", "America/Kentucky/Louisville or America/Louisville"),
    ],
)
async def test_a_zone_that_is_none_is_told_and_comes_back_as_typed(
    page: httpx.AsyncClient, typed: str, said: str
) -> None:
    refused = await page.post(URL, data={**TYPED, "zone": typed})
    assert refused.status_code == 422
    assert said in refused.text
    assert f'value="{typed}"' in refused.text
