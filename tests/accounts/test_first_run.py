"""The first run, and accounts as they are opened."""

import asyncio

import httpx
import pytest

from app.accounts import create_account, first_run_token, list_accounts
from app.base.database import Database
from app.base.errors import Invalid
from tests.accounts.makers import open_account
from tests.web_server import browser

FORM = {
    "name": "Tidelines",
    "slug": "tidelines",
    "creator_name": "Ana Moreau",
    "email": "Ana@example.com",
    "postal_address": "1 Quay\r\nHarbour",
}


async def test_the_first_account_is_opened_and_its_creator_signed_in(studio: str, web: Database) -> None:
    token = first_run_token()
    async with browser(studio) as client:
        assert "nobody lives here yet" in (await client.get("/")).text
        assert (await client.get("/first-run", params={"token": token})).status_code == 200
        opened = await client.post("/first-run", data={**FORM, "token": token})
        assert (opened.status_code, opened.headers["location"]) == (303, "/studio/tidelines")
        assert "Tidelines is yours" in (await client.get("/studio/tidelines")).text
        assert (await client.get("/first-run", params={"token": token})).status_code == 409
    async with web.transaction() as tx:
        assert [account.slug for account in await list_accounts(tx)] == ["tidelines"]


async def test_of_several_tabs_one_opens_the_account(studio: str, web: Database) -> None:
    token = first_run_token()
    async with browser(studio) as client:
        tabs = [{**FORM, "slug": f"tide-{n}", "token": token} for n in range(4)]
        told = await asyncio.gather(*(client.post("/first-run", data=tab) for tab in tabs))
    assert sorted(answer.status_code for answer in told) == [303, 409, 409, 409]
    async with web.transaction() as tx:
        assert len(await list_accounts(tx)) == 1


async def test_without_the_token_nothing_opens(studio: str, web: Database) -> None:
    async with browser(studio) as client:
        for token in ("", "x", "é"):
            assert (await client.get("/first-run", params={"token": token})).status_code == 403
            assert (await client.post("/first-run", data={**FORM, "token": token})).status_code == 403


async def test_every_problem_of_the_form_is_told_at_once_and_nothing_is_lost(studio: str) -> None:
    bad = {
        "name": "",
        "slug": "Tide Lines",
        "email": "ana",
        "creator_name": "Ana <b>",
        "postal_address": "1 Quay",
    }
    async with browser(studio) as client:
        told = await client.post("/first-run", data={**bad, "token": first_run_token()})
    assert told.status_code == 422
    for sentence in ("Give the publication a name", "cannot begin an address", "has no @"):
        assert sentence in told.text
    assert 'value="Tide Lines"' in told.text
    assert "Ana &lt;b&gt;" in told.text
    assert "1 Quay" in told.text


@pytest.mark.parametrize(
    "slug", ["www", "api", "mail", "studio", "-tide", "tide-", "t" * 64, "tide.lines", "Tide", "xn--x"]
)
async def test_names_that_cannot_begin_an_address_are_refused(web: Database, slug: str) -> None:
    with pytest.raises(Invalid) as refused:
        async with web.transaction() as tx:
            await create_account(tx, email="ana@example.com", name="Tidelines", slug=slug)
    assert [problem.field for problem in refused.value.problems] == ["slug"]


async def test_a_name_that_is_taken_is_refused_and_a_creator_may_own_two(web: Database) -> None:
    await open_account(web, "ana@example.com", "tidelines")
    with pytest.raises(Invalid):
        await open_account(web, "bob@example.com", "tidelines")
    await open_account(web, "ANA@example.com", "mudflats")
    async with web.transaction() as tx:
        assert await tx.value("select count(*) from creator") == 1


async def test_the_terminals_account_has_a_choice_of_two(
    studio: str, ana: httpx.AsyncClient, web: Database
) -> None:
    from tests.accounts.makers import sign_in

    await open_account(web, "ana@example.com", "mudflats")
    await sign_in(ana, web, "ana@example.com")
    page = await ana.get("/")
    assert "/studio/tidelines" in page.text
    assert "/studio/mudflats" in page.text
