"""The switch in the studio and the console: what is said on every page, and buttons that say their size."""

import httpx

from app.base.database import Database
from tests.accounts.makers import become
from tests.broadcasts.makers import Studio
from tests.messages.makers import GIVEN


async def test_every_page_of_the_studio_says_that_mail_is_stopped_by_whom_and_why(studio: Studio) -> None:
    page = studio.page
    assert "Stop all mail" in (await page.get(studio.at("/settings"))).text
    empty = await page.post(studio.at("/switch/stop"), data={"scope": "bulk", "reason": " "})
    assert empty.status_code == 422
    assert 'value="bulk" checked' in empty.text
    assert "Say why" in empty.text
    told = await page.post(
        studio.at("/switch/stop"),
        data={"scope": "all", "reason": "Wrong <prices>"},
        follow_redirects=True,
    )
    assert "Mail is stopped. What was already handed over may still arrive" in told.text
    for path in ("", "/posts", "/broadcasts", "/readers", "/messages", "/releases", "/settings", "/switch"):
        shown = (await page.get(studio.at(path))).text
        assert "<strong>Mail is stopped</strong> since" in shown, path
        assert "by Ana Moreau: Wrong &lt;prices&gt;" in shown, path
    assert "Nothing goes out." in (await page.get(studio.at("/switch"))).text


async def test_the_button_says_how_much_it_lets_go_and_works_once(studio: Studio) -> None:
    """L10."""
    page = studio.page
    await page.post(studio.at("/switch/stop"), data={"scope": "all", "reason": "Wrong prices"})
    await studio.read_audience(await studio.press())
    await studio.api.post("/messages", json=GIVEN)
    early = await page.post(studio.at("/switch/let-go"), follow_redirects=True)
    assert "Nothing was let go" in early.text
    started = await page.post(studio.at("/switch/start"), data={"reason": "Mended"}, follow_redirects=True)
    assert "What waited is still held" in started.text
    assert "Let 13 mails go" in started.text
    assert "Mail is held until you let it go." in (await page.get(studio.at("/posts"))).text
    gone = await page.post(studio.at("/switch/let-go"), follow_redirects=True)
    assert "It goes now." in gone.text
    assert 'class="halt"' not in gone.text
    assert all(f'data-act="{act}"' in gone.text for act in ("stopped", "started", "let_go"))
    twice = await page.post(studio.at("/switch/let-go"), follow_redirects=True)
    assert "Nothing was let go" in twice.text


async def test_a_writer_reads_it_and_changes_nothing(studio: Studio, owner: Database) -> None:
    async with owner.transaction() as tx:
        await become(tx, "writer")
    shown = (await studio.page.get(studio.at("/switch"))).text
    assert "/switch/stop" not in shown
    refused = await studio.page.post(studio.at("/switch/stop"), data={"scope": "all", "reason": "No"})
    assert refused.status_code == 403


async def test_the_console_stops_everybody_and_each_studio_says_so(
    studio: Studio, operator: httpx.AsyncClient
) -> None:
    assert "Mail goes, for everybody." in (await operator.get("/console/switches")).text
    told = await operator.post(
        "/console/switches",
        data={"account": "", "scope": "all", "reason": "A leak", "act": "on"},
        follow_redirects=True,
    )
    assert "Mail is stopped." in told.text
    shown = (await studio.page.get(studio.at("/posts"))).text
    assert "<strong>Mail is stopped for everybody</strong>" in shown
    assert "by Ola: A leak" in shown
    await studio.api.post("/messages", json=GIVEN)
    off = await operator.post(
        "/console/switches", data={"account": "", "reason": "Closed", "act": "off"}, follow_redirects=True
    )
    assert "1 automatic email waits to be let go" in off.text
    assert "Let 1 mail go" in off.text
    gone = await operator.post("/console/switches/let-go", data={"account": ""}, follow_redirects=True)
    assert "It goes now" in gone.text
    assert "Mail goes, for everybody." in gone.text
    twice = await operator.post("/console/switches/let-go", data={"account": ""}, follow_redirects=True)
    assert "Nothing was let go" in twice.text


async def test_a_second_press_of_start_in_the_console_says_how_it_stands(
    studio: Studio, operator: httpx.AsyncClient
) -> None:
    """Two operators at one page."""
    url, off = "/console/switches", {"account": "", "reason": "Closed", "act": "off"}
    await operator.post(url, data=off | {"act": "on"})
    await studio.api.post("/messages", json=GIVEN)
    await operator.post(url, data=off)
    twice = await operator.post(url, data=off, follow_redirects=True)
    assert twice.status_code == 200
    assert "there is nothing to start. What waited is held: let it go." in twice.text


async def test_the_console_stops_one_publication_and_tells_a_wrong_name(
    studio: Studio, operator: httpx.AsyncClient
) -> None:
    wrong = await operator.post("/console/switches", data={"account": "nobody", "reason": "x", "act": "on"})
    assert wrong.status_code == 422
    assert "There is no publication" in wrong.text
    await operator.post(
        "/console/switches", data={"account": "tidelines", "reason": "Complaints", "act": "on"}
    )
    shown = (await studio.page.get(studio.at("/switch"))).text
    assert "by Ola: Complaints" in shown
    assert "only they start it again" in shown
    refused = await studio.page.post(studio.at("/switch/start"), data={"reason": ""})
    assert refused.status_code == 403


async def test_an_operator_who_starts_mail_hears_that_the_teams_own_stop_stays(
    studio: Studio, operator: httpx.AsyncClient
) -> None:
    await studio.api.put("/switch", json={"on": True, "scope": "all", "reason": "A wrong price"})
    form = {"account": "tidelines", "scope": "bulk", "reason": "Complaints"}
    await operator.post("/console/switches", data=form | {"act": "on"})
    off = await operator.post("/console/switches", data=form | {"act": "off"}, follow_redirects=True)
    assert "Your stop is taken away. Their team&#39;s own stays: A wrong price" in off.text
    again = await operator.post("/console/switches", data=form | {"act": "off"}, follow_redirects=True)
    assert "Their team stopped that mail itself, and starts it: A wrong price" in again.text


async def test_the_console_is_for_operators_alone(studio: Studio) -> None:
    assert (await studio.page.get("/console/switches")).status_code == 403
    studio.page.cookies.clear()
    assert (await studio.page.get("/console/switches")).headers["location"].startswith("/sign-in")
