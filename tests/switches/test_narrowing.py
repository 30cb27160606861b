"""Less is stopped than was: what was held stays held until somebody lets it go (L10, Decision 26)."""

import json

import httpx
import pytest

from app.base.database import Database
from app.switches import operator_set
from tests.broadcasts.makers import Studio
from tests.switches.makers import Command, claimable, put, queue

ALL = {"on": True, "scope": "all", "reason": "Wrong prices"}
BULK = {"on": True, "scope": "bulk", "reason": "Only readers"}
NOBODYS = {"sends": 0, "messages": 0}


@pytest.mark.parametrize("between", [(), ({"on": False},)], ids=["while stopped", "off, then on again"])
async def test_narrowed_by_the_api_automatic_mail_stays_held_until_it_is_let_go(
    studio: Studio, between: tuple[dict, ...]
) -> None:
    await put(studio, ALL)
    await studio.read_audience(await studio.press())
    await queue(studio, 3)
    for given in between:
        await put(studio, given)
    told = await put(studio, BULK)
    assert (told["on"], told["scope"], told["held_scope"]) == (True, "bulk", "all")
    assert told["held"] == {"sends": 12, "messages": 3}
    assert await claimable(studio) == (False, False)
    await queue(studio)
    assert {one["state"] for one in (await studio.api.get("/messages")).json()["items"]} == {"held"}
    gone = await studio.api.post("/switch/let-go")
    assert gone.status_code == 200, gone.text
    told = gone.json()
    assert (told["on"], told["held_scope"], told["held"]) == (True, "bulk", {"sends": 12, "messages": 0})
    assert await claimable(studio) == (False, True)
    twice = await studio.api.post("/switch/let-go")
    assert (twice.status_code, "still stopped" in twice.json()["detail"]) == (409, True)


async def test_narrowed_and_started_all_of_it_is_let_go_at_once(studio: Studio) -> None:
    await put(studio, ALL)
    await queue(studio)
    await put(studio, BULK)
    told = await put(studio, {"on": False})
    assert (told["holding"], told["held_scope"], told["held"]) == (True, "all", {"sends": 0, "messages": 1})
    told = (await studio.api.post("/switch/let-go")).json()
    assert (told["holding"], told["held_scope"], told["held"]) == (False, None, NOBODYS)
    assert await claimable(studio) == (True, True)


async def test_narrowed_with_no_automatic_mail_held_it_goes_at_once(studio: Studio) -> None:
    """As with starting: there is nothing that somebody had to let go."""
    await put(studio, ALL)
    await studio.read_audience(await studio.press())
    told = await put(studio, BULK)
    assert (told["held_scope"], told["held"]) == ("bulk", {"sends": 12, "messages": 0})
    assert await claimable(studio) == (False, True)


async def test_after_a_letting_go_a_stop_holds_what_it_stops(studio: Studio) -> None:
    await put(studio, ALL)
    await queue(studio)
    await put(studio, {"on": False})
    await studio.api.post("/switch/let-go")
    told = await put(studio, BULK)
    assert (told["held_scope"], await claimable(studio)) == ("bulk", (False, True))


async def test_narrowed_in_the_studio_the_pages_tell_both_and_a_button_lets_it_go(studio: Studio) -> None:
    page = studio.page
    await page.post(studio.at("/switch/stop"), data={"scope": "all", "reason": "Wrong prices"})
    await queue(studio, 2)
    await page.post(studio.at("/switch/start"), data={"reason": ""})
    form = {"scope": "bulk", "reason": "Only readers"}
    told = (await page.post(studio.at("/switch/stop"), data=form, follow_redirects=True)).text
    assert "Mail to readers is stopped. What was already handed over may still arrive" in told
    assert "Automatic emails are still held, until you let them go." in told
    assert "Nothing goes out." in told
    assert "Let 2 mails go" in told
    assert "Automatic emails are held until you let them go." in (await page.get(studio.at("/posts"))).text
    gone = (await page.post(studio.at("/switch/let-go"), follow_redirects=True)).text
    assert "It goes now." in gone
    assert "Nothing goes to readers." in gone
    assert "Automatic emails are held" not in gone
    assert "by Ana Moreau: Only readers" in gone, "who stopped it stays"
    assert await claimable(studio) == (False, True)


async def test_the_platforms_stop_narrowed_in_the_console(
    studio: Studio, operator: httpx.AsyncClient
) -> None:
    url, form = "/console/switches", {"account": "", "reason": "A leak", "act": "on"}
    await operator.post(url, data=form | {"scope": "all"})
    await queue(studio)
    told = (await operator.post(url, data=form | {"scope": "bulk"}, follow_redirects=True)).text
    assert "Mail to readers is stopped." in told
    assert "Automatic emails are still held, until they are let go." in told
    assert "Automatic emails are held too." in told
    assert "Let 1 mail go" in told
    assert await claimable(studio) == (False, False)
    shown = (await studio.page.get(studio.at("/posts"))).text
    assert "Automatic emails are held until whoever runs this Godwit lets them go." in shown
    told = (await operator.post(f"{url}/let-go", data={"account": ""}, follow_redirects=True)).text
    assert "It goes now." in told
    assert "Automatic emails are held" not in told
    assert await claimable(studio) == (False, True)


async def test_what_an_operator_narrowed_is_held_and_the_team_may_let_it_go(
    studio: Studio, operators: Database
) -> None:
    """As with what an operator started."""
    async with operators.transaction() as tx:
        await operator_set(tx, studio.desk.account_id, on=True, scope="all", reason="Complaints", by="Ola")
    await queue(studio)
    async with operators.transaction() as tx:
        await operator_set(tx, studio.desk.account_id, on=True, scope="bulk", reason="Complaints", by="Ola")
    assert await claimable(studio) == (False, False)
    told = (await studio.api.post("/switch/let-go")).json()
    assert (told["on"], told["scope"], told["held_scope"], told["by"]) == (True, "bulk", "bulk", "Ola")
    assert await claimable(studio) == (False, True)


async def test_the_command_tells_both(studio: Studio, godwit: Command) -> None:
    await godwit("on", "--reason", "A leak")
    await queue(studio)
    told = await godwit("on", "--scope", "bulk", "--reason", "A leak")
    assert "Automatic emails are still held. Let them go: godwit switch let-go\n" in told
    assert "stopped (bulk), automatic emails held since" in await godwit()
    (line,) = json.loads(await godwit("--json"))["items"]
    assert (line["scope"], line["held_scope"]) == ("bulk", "all")
    assert line["held"] == {"sends": 0, "messages": 1}
    assert "1 automatic email goes now" in await godwit("let-go")
    (line,) = json.loads(await godwit("--json"))["items"]
    assert (line["on"], line["held_scope"]) == (True, "bulk")
