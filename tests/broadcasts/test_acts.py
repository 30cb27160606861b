"""What is pressed on an email, by page and by API: each act in each state, and answers that are true."""

import asyncio

import pytest

from app.base.database import Database
from app.broadcasts import pause_unread
from app.broadcasts.notices import tell_team
from app.mail import Accepted, Unknown
from app.switches import stop
from tests.broadcasts.makers import Studio, figures_in, handed, in_state, mailing_of
from tests.ledger.makers import Told, working
from tests.posts.makers import make_post

pytestmark = pytest.mark.anyio
HTMX = {"HX-Request": "true"}
STATES = ("building", "sending", "paused", "finished", "cancelled")


async def test_htmx_gets_the_live_region_anew_with_what_was_done(studio: Studio) -> None:
    broadcast_id = await in_state(studio, "sending")
    url = studio.at(f"/broadcasts/{broadcast_id}")
    paused = await studio.page.post(f"{url}/pause", headers=HTMX)
    assert paused.status_code == 200
    assert 'data-state="paused"' in paused.text
    assert "It is paused at 2 of 12: Ana Moreau paused it." in paused.text
    assert "0 already sent, 10 to go" in paused.text
    assert '<hx-partial hx-target="#acted"' in paused.text
    late = await studio.page.post(f"{url}/pause", headers=HTMX)
    assert late.status_code == 409
    assert "is paused and cannot be paused" in late.text
    resumed = await studio.page.delete(f"{url}/pause", headers=HTMX)
    assert "It is going out: 2 of 12" in resumed.text


async def test_resumed_while_mail_is_stopped_it_waits_and_says_so(studio: Studio) -> None:
    broadcast_id = await in_state(studio, "paused")
    async with studio.web.transaction(studio.desk.account_id) as tx:
        await stop(tx, scope="bulk", reason="a wrong subject", by="Ana")
    resumed = await studio.page.post(studio.at(f"/broadcasts/{broadcast_id}/resume"), headers=HTMX)
    assert "It goes on once mail runs and what was held is let go." in resumed.text


@pytest.mark.parametrize("state", STATES)
async def test_only_what_is_open_is_held(studio: Studio, state: str) -> None:
    """What is over waits for nothing."""
    broadcast_id = await in_state(studio, state)
    async with studio.web.transaction(studio.desk.account_id) as tx:
        await stop(tx, scope="all", reason="a wrong subject", by="Ana")
    told = (await studio.api.get(f"/broadcasts/{broadcast_id}")).json()
    assert told["held"] is (state not in ("finished", "cancelled"))
    (listed,) = (await studio.api.get("/broadcasts")).json()["items"]
    assert listed["held"] is told["held"]


async def test_cancelling_asks_once_more_and_says_what_it_will_do(studio: Studio) -> None:
    broadcast_id = await in_state(studio, "sending")
    url = studio.at(f"/broadcasts/{broadcast_id}")
    asked = (await studio.page.get(f"{url}/cancel")).text
    assert "10 still waiting will not be mailed." in asked
    assert f'action="{url}/cancel"' in asked
    await studio.page.post(f"{url}/cancel")
    shown = (await studio.page.get(url)).text
    assert "It was cancelled: Ana Moreau cancelled it. 0 had it." in shown
    assert "It is over already" in (await studio.page.get(f"{url}/cancel")).text


async def test_an_email_taken_back_in_its_undo_time_counts_as_never_mailed(studio: Studio) -> None:
    """L5: in the undo time nobody is even read; afterwards the post can be mailed without saying again."""
    draft = await make_post(studio.web, studio.desk, "The bird")
    wanted = {"site": True, "email": {"undo_seconds": 600}}
    told = await studio.api.post(f"/posts/{draft.post_id}/publish", json=wanted)
    assert told.status_code == 202
    broadcast_id = told.json()["broadcast"]
    url = studio.at(f"/broadcasts/{broadcast_id}")
    one = (await studio.api.get(f"/broadcasts/{broadcast_id}")).json()
    assert (one["state"], one["audience"]) == ("scheduled", 0)
    shown = (await studio.page.get(url)).text
    assert "It starts in 10 minutes. Nobody has been mailed yet." in shown
    assert shown.count(">Undo</button>") == 1
    assert "starts in" in (await studio.page.get(studio.at())).text
    async with working(studio.worker):
        await asyncio.sleep(0)
        refused = await studio.api.post(f"/posts/{draft.post_id}/publish", json=wanted)
        assert refused.status_code == 409
        undone = await studio.api.post(f"/broadcasts/{broadcast_id}/cancel")
    assert (undone.json()["state"], undone.json()["undone"]) == ("cancelled", True)
    assert "taken back before anybody was mailed" in (await studio.page.get(url)).text
    again = await studio.api.post(f"/posts/{draft.post_id}/publish", json={"email": {}})
    assert again.status_code == 202, again.text
    assert again.json()["broadcast"] != broadcast_id


async def test_once_somebody_was_handed_over_a_cancel_is_no_undo(studio: Studio) -> None:
    broadcast_id = await in_state(studio, "sending")
    await handed(studio, broadcast_id, 1, Accepted())
    told = (await studio.api.post(f"/broadcasts/{broadcast_id}/cancel")).json()
    assert told["undone"] is False
    post = {"email": {}}
    assert (await studio.api.post(f"/posts/{told['post']}/publish", json=post)).status_code == 409


async def test_the_studio_waits_the_accounts_undo_time_and_the_api_does_not(studio: Studio) -> None:
    assert 'data-state="scheduled"' in await pressed_in_studio(studio, "for 30 seconds; then")
    other = await make_post(studio.web, studio.desk, "Another")
    told = await studio.api.post(f"/posts/{other.post_id}/publish", json={"email": {}})
    one = (await studio.api.get(f"/broadcasts/{told.json()['broadcast']}")).json()
    assert one["state"] == "building"
    settings = {"name": "T", "zone": "UTC", "undo_seconds": "0", "postal_address": "4 Harbour Road, Miranda"}
    assert (await studio.page.post(studio.at("/settings"), data=settings)).status_code == 303
    said = "Pressed now, it cannot be undone: it goes out"
    assert 'data-state="building"' in await pressed_in_studio(studio, said)


async def pressed_in_studio(studio: Studio, said_before: str) -> str:
    """The page of an email pressed on its post's page, which said this of what would come."""
    draft = await make_post(studio.web, studio.desk, "The bird")
    url = studio.at(f"/posts/{draft.post_id}/publish")
    page = (await studio.page.get(url)).text
    assert said_before in page
    key = page.split('name="key" value="')[1].split('"')[0]
    form = {"key": key, "version": "1", "where": "mail", "newsletter": "newsletter", "shown": "12"}
    pressed = await studio.page.post(url, data=form)
    assert pressed.status_code == 303, pressed.text
    return (await studio.page.get(pressed.headers["location"])).text


async def test_unsure_copies_are_settled_by_a_person_on_the_page_and_by_the_api(studio: Studio) -> None:
    """L4, L7: some, then all; what was said twice is refused."""
    broadcast_id = await studio.press()
    await studio.read_audience(broadcast_id)
    await handed(studio, broadcast_id, 6, Unknown("no answer"))
    url = studio.at(f"/broadcasts/{broadcast_id}")
    asked = (await studio.page.get(f"{url}/unsure")).text
    assert "6 copies were handed over, and no answer came." in asked
    unsure = (await studio.api.get(f"/broadcasts/{broadcast_id}/sends?state=unknown")).json()["items"]
    two = [one["reader"] for one in unsure[:2]]
    pressed = await studio.page.post(f"{url}/resolve", data={"as": "sent", "readers": two})
    assert pressed.status_code == 303
    said = {"as": "planned", "readers": [one["reader"] for one in unsure[2:4]]}
    told = (await studio.api.post(f"/broadcasts/{broadcast_id}/resolve", json=said)).json()
    assert (told["resolved"], told["sent"], told["unknown"], told["to_go"]) == (2, 2, 2, 8)
    assert (await studio.api.post(f"/broadcasts/{broadcast_id}/resolve", json=said)).status_code == 409
    everybody = {"as": "sent", "readers": "all"}
    told = (await studio.api.post(f"/broadcasts/{broadcast_id}/resolve", json=everybody)).json()
    assert (told["resolved"], told["sent"], told["unknown"]) == (2, 4, 0)
    assert "No copy of this email is unsure now." in (await studio.page.get(f"{url}/unsure")).text
    for wrong in ({"as": "maybe", "readers": "all"}, {"as": "sent", "readers": ["x"]}, {"as": "sent"}):
        refused = await studio.api.post(f"/broadcasts/{broadcast_id}/resolve", json=wrong)
        assert refused.status_code in (400, 422), refused.text
    none = await studio.page.post(f"{url}/resolve", data={"as": "sent"})
    assert none.status_code == 422


async def test_without_a_record_the_page_asks_a_person_and_names_the_risk(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L1, L4: sent again unsure, they are listed as possible doubles at once."""
    told = Told(has_record=False, asked_at_once=False)
    monkeypatch.setattr("app.broadcasts.acts.current_provider", lambda: told)
    broadcast_id = await studio.press()
    await studio.read_audience(broadcast_id)
    await handed(studio, broadcast_id, 3, Unknown("lost after the dot"), told)
    await handed(studio, broadcast_id, 9, Accepted())
    url = studio.at(f"/broadcasts/{broadcast_id}")
    shown = (await studio.page.get(url)).text
    assert "Somebody has to say whether those arrived." in shown
    assert "somebody has to say what becomes of them" in shown
    assert "we cannot find that out" in (await studio.page.get(f"{url}/unsure")).text
    assert "Somebody has to decide" in (await studio.page.get(studio.at())).text
    await studio.page.post(f"{url}/resolve", data={"as": "planned", "all": "1"})
    shown = (await studio.page.get(url)).text
    assert figures_in(shown)["doubles"] == 3
    assert "sent again while nobody knew" in (await studio.page.get(f"{url}/unsure")).text
    assert (await studio.api.get(f"/broadcasts/{broadcast_id}")).json()["possible_doubles"] == 3


async def test_the_team_is_told_when_it_is_out_and_when_it_needs_somebody(studio: Studio) -> None:
    """M1: one mail to each of the team, with figures or the reason, and one link."""
    broadcast_id = await in_state(studio, "finished")
    async with studio.worker.transaction(studio.desk.account_id) as tx:
        assert await tx.value("select count(*) from job where kind = 'broadcast_changed'") == 1
        mailing = await mailing_of(studio, broadcast_id)
        for _ in range(2):
            assert await tell_team(tx, mailing, "finished", "", once="1") == 1
            await tell_team(tx, mailing, "needs_person", "the mail provider refuses us: 401.", once="2")
        rows = await tx.rows("select args from job where kind = 'send_message' order by id")
    mails = [row.args for row in rows]
    assert [mail["to"] for mail in mails] == ["tidelines@example.org"] * 2
    assert mails[0]["subject"].endswith("is out: 10 sent")
    assert "Of 12 in the audience: 10 sent, 2 failed." in mails[0]["text"]
    assert "The mail provider refuses us: 401." in mails[1]["text"]
    assert all(mail["text"].count("http") == 1 for mail in mails)
    assert all(f"/broadcasts/{broadcast_id}" in mail["text"] for mail in mails)


@pytest.mark.parametrize("end", ["dead", "discarded"])
async def test_an_email_whose_audience_nobody_reads_any_more_is_paused_and_told(
    studio: Studio, owner: Database, end: str
) -> None:
    """E2; field case B: stuck without a word. Resumed, it is read by a new job."""
    broadcast_id = await studio.press()
    assert await pause_unread(studio.worker) == set(), "its job is there"
    async with owner.transaction() as tx:
        await tx.execute("update mailing set starts_at = starts_at - interval '1 hour'")
    assert await pause_unread(studio.worker) == set(), "late is not lost"
    async with owner.transaction() as tx:
        over = ", finished_at = now()" if end == "discarded" else ""
        await tx.execute(
            "update job set state = 'leased', lease = nextval('job_lease'), leased_by = 'w', attempts = 1,"
            " leased_at = now(), leased_until = now() + interval '1 minute' where kind = 'build_broadcast'"
        )
        await tx.execute(
            f"update job set state = '{end}', reason = 'its worker died 20 times', leased_by = null,"
            f" leased_at = null, leased_until = null{over} where kind = 'build_broadcast'"
        )
    assert await pause_unread(studio.worker) == {"messages"}
    told = (await studio.api.get(f"/broadcasts/{broadcast_id}")).json()
    assert (told["state"], told["reason"]) == (
        "paused",
        "reading its audience was given up: its worker died 20 times",
    )
    assert (await studio.api.post(f"/broadcasts/{broadcast_id}/resume")).status_code == 200
    assert await pause_unread(studio.worker) == set(), "it is read again"
    await studio.read_audience(broadcast_id)
    assert (await studio.api.get(f"/broadcasts/{broadcast_id}")).json()["audience"] == 12
