"""Mail that two switches hold: who lets one of them go is told what becomes of it (Decision 26)."""

import json

import httpx
import pytest

from app.base.database import Database
from app.ops import set_by_operator
from app.switches import operator_let_go, operator_set
from tests.broadcasts.makers import Studio
from tests.switches.makers import Command, claimable, put, queue

STOP = {"on": True, "scope": "all", "reason": "Wrong prices"}
LATER = "12 copies and 1 automatic email wait until whoever runs this Godwit lets everybody"


async def everybody(operators: Database, *, on: bool, scope: str = "all") -> None:
    async with operators.transaction() as tx:
        await set_by_operator(tx, 0, on=on, scope=scope, reason="A leak", by="Ola")


async def waiting(studio: Studio) -> None:
    """Twelve copies and an automatic email that a switch keeps from going."""
    await studio.read_audience(await studio.press())
    await queue(studio)


async def test_what_an_account_holds_itself_is_not_the_platforms_to_let_go(
    studio: Studio, godwit: Command
) -> None:
    await put(studio, STOP)
    await godwit("on", "--reason", "A leak")
    await waiting(studio)
    assert await godwit("off", "--reason", "Closed") == "Mail for everybody is started.\n"
    told = {one["account"]: one for one in json.loads(await godwit("--json"))["items"]}
    assert (told[None]["holding"], told[None]["held"]) == (False, {"sends": 0, "messages": 0})
    assert told["tidelines"]["held"] == {"sends": 12, "messages": 1}
    assert await claimable(studio) == (False, False), "the account's own switch holds it"


async def test_what_the_account_does_not_hold_is_the_platforms(studio: Studio, godwit: Command) -> None:
    """The account stops mail to readers, the platform all: the automatic mail waits for the platform."""
    await put(studio, STOP | {"scope": "bulk"})
    await godwit("on", "--reason", "A leak")
    await waiting(studio)
    told = await godwit("off", "--reason", "Closed")
    assert "1 automatic email is held. Let them go: godwit switch let-go" in told
    assert "1 automatic email goes now" in await godwit("let-go")
    assert await claimable(studio) == (False, True)


async def test_the_command_says_what_waits_for_the_platform(studio: Studio, godwit: Command) -> None:
    named = ("--account", "tidelines")
    await godwit("on", *named, "--reason", "Complaints")
    await waiting(studio)
    await godwit("on", "--scope", "bulk", "--reason", "A leak")
    assert "12 copies and 1 automatic email are held" in await godwit("off", *named, "--reason", "Settled")
    gone = (await godwit("let-go", *named)).splitlines()
    assert gone == [
        "1 automatic email goes now, each after its consent is read again.",
        "12 copies go once everybody's mail is let go: godwit switch let-go",
    ]
    assert await claimable(studio) == (False, True)


async def test_let_go_while_the_platform_is_stopped_says_when_it_goes(
    studio: Studio, operators: Database
) -> None:
    """By the API and in the studio; started here with the platform's stop on, it goes nowhere yet."""
    await put(studio, STOP)
    await waiting(studio)
    await everybody(operators, on=True)
    assert (await put(studio, {"on": False}))["holding"] is True
    gone = (await studio.api.post("/switch/let-go")).json()
    assert gone["detail"].startswith(f"It is let go here, but {LATER}")
    assert (gone["holding"], gone["held"]) == (False, {"sends": 12, "messages": 1})
    assert gone["platform"] == {"on": True, "scope": "all", "holding": True, "held_scope": "all"}
    await put(studio, STOP)
    await studio.page.post(studio.at("/switch/start"), data={"reason": ""})
    shown = (await studio.page.get(studio.at("/switch"))).text
    assert "it goes only when they let it go as well" in shown
    told = (await studio.page.post(studio.at("/switch/let-go"), follow_redirects=True)).text
    assert LATER in told
    assert "It goes now" not in told
    assert await claimable(studio) == (False, False)
    await everybody(operators, on=False)
    async with operators.transaction() as tx:
        await operator_let_go(tx, 0, by="Ola")
    assert await claimable(studio) == (True, True)


async def test_with_nothing_held_here_the_studio_does_not_say_that_mail_goes(
    studio: Studio, operators: Database
) -> None:
    await put(studio, STOP)
    await everybody(operators, on=True)
    told = await studio.page.post(studio.at("/switch/start"), data={"reason": ""}, follow_redirects=True)
    assert "Mail is started here, but whoever runs this Godwit holds mail for everybody." in told.text
    assert "Mail goes again" not in told.text


@pytest.mark.parametrize("stopped", [True, False])
async def test_with_only_the_platforms_switch_a_team_is_told_who_lets_it_go(
    studio: Studio, operators: Database, stopped: bool
) -> None:
    await everybody(operators, on=True)
    await waiting(studio)
    if not stopped:
        await everybody(operators, on=False)
    refused = await studio.api.post("/switch/let-go")
    assert refused.status_code == 409
    assert "whoever runs this Godwit holds mail for everybody, and only they" in refused.json()["detail"]
    assert "Start it first" not in refused.json()["detail"]


async def test_where_an_operator_stopped_the_account_its_team_is_told_who_starts_it(
    studio: Studio, operators: Database
) -> None:
    async with operators.transaction() as tx:
        await operator_set(tx, studio.desk.account_id, on=True, scope="all", reason="Complaints", by="Ola")
    told = (await studio.page.post(studio.at("/switch/let-go"), follow_redirects=True)).text
    assert "whoever runs this Godwit stopped it, and only they start it" in told
    assert "Start it first" not in told


async def test_a_stop_of_mail_to_readers_counts_no_automatic_mail(
    studio: Studio, operator: httpx.AsyncClient
) -> None:
    """What is not held does not go by the letting go, and does not keep the switch holding."""
    form = {"account": "tidelines", "scope": "bulk", "reason": "Complaints"}
    await operator.post("/console/switches", data=form | {"act": "on"})
    await queue(studio)
    told = await operator.post("/console/switches", data=form | {"act": "off"}, follow_redirects=True)
    assert "Mail is started; this switch held nothing." in told.text
    assert "Mail goes, for everybody." in told.text
