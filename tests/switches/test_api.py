"""The account's switch by the API: on, off, held, let go once."""

import pytest

from app.base.database import Database
from app.base.errors import Conflict
from app.switches import operator_set
from tests.broadcasts.makers import Studio
from tests.messages.makers import GIVEN
from tests.switches.makers import Command, put

PLATFORM = {"on": False, "scope": "all", "holding": False, "held_scope": None}
OFF = {
    "on": False,
    "scope": "all",
    "reason": "",
    "since": None,
    "by": "",
    "holding": False,
    "held_scope": None,
}


async def state(studio: Studio) -> dict:
    return (await studio.api.get("/switch")).json()


async def test_at_first_nothing_is_stopped(studio: Studio) -> None:
    assert await state(studio) == OFF | {
        "held": {"sends": 0, "messages": 0},
        "platform": PLATFORM,
    }


async def test_on_off_and_let_go_once_with_what_is_held(studio: Studio, web: Database) -> None:
    """L10: what waited is counted, kept after the start, and let go exactly once."""
    on = await studio.api.put("/switch", json={"on": True, "scope": "all", "reason": "Wrong prices"})
    assert on.status_code == 200
    told = on.json()
    assert (told["on"], told["scope"], told["reason"]) == (True, "all", "Wrong prices")
    assert told["by"] == "the API (a test)"
    assert told["since"].endswith("Z")
    again = (await studio.api.put("/switch", json={"on": True, "reason": "Wrong prices"})).json()
    assert again["since"] == told["since"]
    await studio.read_audience(await studio.press())
    await studio.api.post("/messages", json=GIVEN)
    assert (await state(studio))["held"] == {"sends": 12, "messages": 1}
    early = await studio.api.post("/switch/let-go")
    assert early.status_code == 409
    off = (await studio.api.put("/switch", json={"on": False})).json()
    assert (off["on"], off["holding"], off["held"]) == (False, True, {"sends": 12, "messages": 1})
    gone = await studio.api.post("/switch/let-go")
    assert (gone.status_code, gone.json()["holding"]) == (200, False)
    assert gone.json()["held"] == {"sends": 0, "messages": 0}
    assert (await studio.api.post("/switch/let-go")).status_code == 409
    async with web.transaction(studio.desk.account_id) as tx:
        acts = await tx.rows("select act, by from switch_change order by id")
    assert [row.act for row in acts] == ["stopped", "started", "let_go"]


async def test_started_with_nothing_held_mail_goes_at_once(studio: Studio) -> None:
    await studio.api.put("/switch", json={"on": True, "reason": "A test"})
    off = (await studio.api.put("/switch", json={"on": False})).json()
    assert (off["on"], off["holding"]) == (False, False)


async def test_bulk_holds_copies_only(studio: Studio) -> None:
    await studio.api.put("/switch", json={"on": True, "scope": "bulk", "reason": "A test"})
    await studio.read_audience(await studio.press())
    await studio.api.post("/messages", json=GIVEN)
    assert (await state(studio))["held"] == {"sends": 12, "messages": 0}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"on": True}, "reason"),
        ({"on": True, "reason": " \n "}, "reason"),
        ({"on": True, "reason": "x" * 501}, "reason"),
        ({"on": True, "reason": "a\0b"}, "reason"),
        ({"on": True, "scope": "some", "reason": "A test"}, "scope"),
    ],
)
async def test_what_cannot_be_kept_is_refused_and_changes_nothing(
    studio: Studio, given: dict, field: str
) -> None:
    refused = await studio.api.put("/switch", json=given)
    assert refused.status_code == 422
    assert field in {one["field"] for one in refused.json()["errors"]}
    assert (await state(studio))["on"] is False
    assert (await studio.api.put("/switch", json={"on": "perhaps"})).status_code in (400, 422)


async def test_what_an_operator_stopped_the_team_may_widen_but_not_start(
    studio: Studio, operators: Database
) -> None:
    account = studio.desk.account_id
    async with operators.transaction() as tx:
        await operator_set(tx, account, on=True, scope="bulk", reason="Complaints", by="Ola")
    assert (await studio.api.put("/switch", json={"on": False})).status_code == 403
    wider = (await studio.api.put("/switch", json={"on": True, "reason": "Everything"})).json()
    assert (wider["on"], wider["scope"]) == (True, "all")
    assert (wider["reason"], wider["by"]) == ("Complaints", "Ola"), "whom to ask, and why it stands"
    assert (await studio.api.put("/switch", json={"on": False})).status_code == 403
    async with operators.transaction() as tx:
        await operator_set(tx, account, on=False, scope="all", reason="Settled", by="Ola")
    told = await state(studio)
    assert (told["on"], told["reason"]) == (True, "Everything"), "the team's own, which they start"
    assert (await put(studio, {"on": False}))["holding"] is False


async def test_an_operators_stop_takes_nothing_away_from_the_teams_own(
    studio: Studio, operators: Database, godwit: Command
) -> None:
    """L5: who presses stop starts no mail, and who starts mail again starts what they stopped themselves."""
    account = studio.desk.account_id
    async with operators.transaction() as tx:
        with pytest.raises(Conflict, match="is not stopped"):
            await operator_set(tx, account, on=False, scope="all", reason="x", by="Ola")
    await put(studio, {"on": True, "scope": "all", "reason": "A wrong price"})
    async with operators.transaction() as tx:
        with pytest.raises(
            Conflict, match="Their team stopped that mail itself, and starts it: A wrong price"
        ):
            await operator_set(tx, account, on=False, scope="all", reason="x", by="Ola")
        for _ in range(2):
            await operator_set(tx, account, on=True, scope="bulk", reason="Complaints", by="Ola")
    told = await state(studio)
    assert (told["on"], told["scope"], told["reason"], told["by"]) == (True, "all", "Complaints", "Ola")
    said = await godwit("off", "--account", studio.desk.slug, "--reason", "Settled")
    assert said == "Your stop is taken away. Their team's own stays: A wrong price\n"
    told = await state(studio)
    assert (told["on"], told["scope"], told["reason"], told["by"]) == (
        True,
        "all",
        "A wrong price",
        "the API (a test)",
    )
    assert (await put(studio, {"on": False, "reason": "Right now"}))["on"] is False


async def test_what_the_team_stops_beneath_an_operators_stop_stays_at_its_widest(
    studio: Studio, operators: Database
) -> None:
    account = studio.desk.account_id
    async with operators.transaction() as tx:
        await operator_set(tx, account, on=True, scope="all", reason="Complaints", by="Ola")
    for scope in ("bulk", "all", "bulk"):
        await put(studio, {"on": True, "scope": scope, "reason": f"We look into it: {scope}"})
    async with operators.transaction() as tx:
        await operator_set(tx, account, on=True, scope="bulk", reason="Complaints", by="Ola")
    assert (await state(studio))["scope"] == "all"
    async with operators.transaction() as tx:
        await operator_set(tx, account, on=False, scope="all", reason="Settled", by="Ola")
    told = await state(studio)
    assert (told["on"], told["scope"], told["reason"]) == (True, "all", "We look into it: bulk")


async def test_the_platforms_switch_is_seen_by_every_account(studio: Studio, operators: Database) -> None:
    async with operators.transaction() as tx:
        await operator_set(tx, 0, on=True, scope="bulk", reason="A leak", by="Ola")
    await studio.read_audience(await studio.press())
    told = await state(studio)
    assert told["on"] is False
    assert told["platform"] == {"on": True, "scope": "bulk", "holding": True, "held_scope": "bulk"}
    assert told["held"] == {"sends": 12, "messages": 0}


async def test_an_account_cannot_touch_the_platforms_switch(studio: Studio, web: Database) -> None:
    """T1: row security, and no right to the operators' functions."""
    for statement in (
        "insert into switch (account_id, stopped, holding, reason) values (0, true, true, 'x')",
        "select set_switch(0, true, 'all', 'x', 'x')",
        "select let_go(0, 'x')",
        "select * from held_mail(0)",
    ):
        with pytest.raises(Exception, match=r"row-level security|permission denied"):
            async with web.transaction(studio.desk.account_id) as tx:
                await tx.execute(statement)
