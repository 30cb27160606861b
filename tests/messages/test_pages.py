"""Automatic emails in the studio: the list by state, one with its tries, bodies, retry, the catalogue."""

import re

from app import mail
from app.base.database import Database
from app.jobs.leases import expire_leases
from app.jobs.runner import QueueLoop
from app.messages import outgoing
from app.messages.catalogue import CATALOGUE
from tests.broadcasts.makers import Studio
from tests.messages.makers import GIVEN, Provider, run


async def test_the_list_tells_each_state_and_each_figure_opens_its_list(
    studio: Studio, messages: QueueLoop, provider: Provider
) -> None:
    """L8."""
    empty = (await studio.page.get(studio.at("/messages"))).text
    assert "None so far" in empty
    provider.answers = [mail.Refused("550 <no such mailbox>"), mail.Accepted()]
    for n in range(3):
        await studio.api.post("/messages", json=GIVEN | {"subject": f"Mail <{n}>"})
    await run(messages)
    await studio.api.post("/messages", json=GIVEN | {"subject": "Later"})
    shown = (await studio.page.get(studio.at("/messages"))).text
    figures = dict(re.findall(r'data-figure="(\w+)" data-value="(\d+)"', shown))
    assert figures["all"] == "4"
    assert (figures["sent"], figures["dead"], figures["pending"]) == ("2", "1", "1")
    assert "1 mail gave up" in shown
    assert "Mail &lt;0&gt;" in shown
    assert "550 &lt;no such mailbox&gt;" in shown
    for state, count in figures.items():
        if state != "all":
            opened = (await studio.page.get(studio.at(f"/messages?state={state}"))).text
            rows = re.findall(rf'data-id="\d+" data-state="{state}"', opened)
            assert len(rows) == int(count)
    assert (await studio.page.get(studio.at("/messages?state=nonsense"))).status_code == 422


async def test_a_held_one_is_told_whether_mail_is_stopped_or_only_waits_to_be_let_go(studio: Studio) -> None:
    """L10: also where less is stopped than is held."""
    made = (await studio.api.post("/messages", json=GIVEN)).json()
    where, stop = studio.at(f"/messages/{made['id']}"), {"on": True, "reason": "Wrong prices"}

    async def told() -> tuple[str, str]:
        refused = await studio.api.post(f"/messages/{made['id']}/retry")
        assert refused.status_code == 409
        page = (await studio.page.get(where)).text
        assert "held until it is let go" in page
        return refused.json()["detail"], page

    await studio.api.put("/switch", json=stop)
    by_api, page = await told()
    assert "held: mail is stopped; it goes when mail is started again and let go" in by_api
    assert "It waits: mail is stopped. It goes when mail is started again and let go." in page
    for less in ({"on": False}, stop | {"scope": "bulk"}):
        await studio.api.put("/switch", json=less)
        by_api, page = await told()
        assert "held: mail was started again; it goes when it is let go" in by_api
        assert "It waits: mail was started again, and it goes when it is let go." in page


async def test_one_message_shows_its_tries_and_can_be_tried_again(
    studio: Studio, messages: QueueLoop, provider: Provider
) -> None:
    provider.answers = [mail.Refused("550 no such mailbox"), mail.Accepted()]
    made = (await studio.api.post("/messages", json=GIVEN | {"html": "<p>Nine</p>"})).json()
    await run(messages)
    where = studio.at(f"/messages/{made['id']}")
    dead = (await studio.page.get(where)).text
    assert "It gave up: bo@example.org does not have it." in dead
    assert "550 no such mailbox" in dead
    assert "Nine euros." in dead
    body = await studio.page.get(f"{where}/body")
    assert body.text == "<p>Nine</p>"
    assert body.headers["content-security-policy"].startswith("sandbox")
    again = await studio.page.post(f"{where}/retry", follow_redirects=True)
    assert "It is tried again now." in again.text
    await run(messages)
    sent = (await studio.page.get(where)).text
    assert "was sent it" in sent
    assert "/retry" not in sent
    twice = await studio.page.post(f"{where}/retry", follow_redirects=True)
    assert "This message is sent" in twice.text
    for unknown in ("0", "999999", "9" * 30):
        assert (await studio.page.get(studio.at(f"/messages/{unknown}"))).status_code == 404
        assert (await studio.page.post(studio.at(f"/messages/{unknown}/retry"))).status_code == 404


async def test_an_unsure_one_says_its_risk(studio: Studio, messages: QueueLoop, provider: Provider) -> None:
    """L4."""
    provider.answers = [mail.Unknown("the connection was lost")]
    made = (await studio.api.post("/messages", json=GIVEN)).json()
    await run(messages)
    shown = (await studio.page.get(studio.at(f"/messages/{made['id']}"))).text
    assert "may have it, or not" in shown
    assert "If it did arrive, it arrives twice" in shown
    assert "Send it again" in shown


async def test_one_whose_last_tries_worker_died_says_its_risk_too(
    studio: Studio, messages: QueueLoop, owner: Database
) -> None:
    """L4: its tries are used up, and the last one may have been heard."""
    made = (await studio.api.post("/messages", json=GIVEN)).json()
    async with owner.transaction() as tx:
        await tx.execute("update job set max_attempts = 1 where kind = 'send_message'")
        await tx.execute(
            "update job set state = 'leased', lease = nextval('job_lease'), attempts = 1, leased_by = 'w',"
            " leased_at = clock_timestamp() - interval '2 minutes',"
            " leased_until = clock_timestamp() - interval '1 second' where kind = 'send_message'"
        )
    async with messages.database.transaction() as tx:
        await expire_leases(tx)
    shown = (await studio.page.get(studio.at(f"/messages/{made['id']}"))).text
    assert "Its worker died 1 time" in shown
    assert "may have it, or not" in shown
    assert "Send it again" in shown


async def test_what_lets_somebody_in_is_shown_nowhere(
    studio: Studio, messages: QueueLoop, provider: Provider, monkeypatch
) -> None:
    """Neither its body nor its subject, by page and by API."""
    secret = GIVEN | {"subject": "004217 is your code", "text": "004217"}
    made = (await studio.api.post("/messages", json=secret)).json()
    from dataclasses import replace

    monkeypatch.setitem(outgoing.CATALOGUE, "own", replace(CATALOGUE["own"], lets_in=True))
    pages = [studio.at("/messages"), studio.at(f"/messages/{made['id']}")]
    told = [(await studio.page.get(url)).text for url in pages]
    told += [(await studio.api.get(url)).text for url in ("/messages", f"/messages/{made['id']}")]
    assert [text for text in told if "004217" in text] == []
    assert "lets somebody in" in told[1]
    assert (await studio.page.get(studio.at(f"/messages/{made['id']}/body"))).status_code == 404


async def test_the_catalogue_shows_how_each_mail_looks(studio: Studio) -> None:
    shown = (await studio.page.get(studio.at("/messages"))).text
    for entry in CATALOGUE.values():
        assert entry.title in shown
        if entry.specimen is not None:
            preview = await studio.page.get(studio.at(f"/messages/preview/{entry.name}"))
            assert preview.status_code == 200
            body = await studio.page.get(studio.at(f"/messages/preview/{entry.name}/body"))
            assert "<html" in body.text
    assert (await studio.page.get(studio.at("/messages/preview/own"))).status_code == 404
