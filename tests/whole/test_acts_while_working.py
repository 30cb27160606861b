"""Acts on an email by the API at random while loops run, and the figures of API and page after each."""

import random
from collections import Counter
from collections.abc import AsyncIterator
from itertools import chain

import pytest

from app.base.database import Database
from tests.broadcasts.makers import Studio, a_studio, figures_in, parts_of
from tests.ledger.makers import working
from tests.waiting import until

pytestmark = pytest.mark.anyio
PARTS = ("sent", "failed", "skipped", "unknown", "to_go")


@pytest.fixture
async def studio(godwit: str, web: Database, worker: Database) -> AsyncIterator[Studio]:
    """Ana's studio with twelve readers."""
    async with a_studio(godwit, web, worker) as made:
        yield made


async def test_acts_at_random_by_the_api_while_workers_run_double_nobody(
    studio: Studio, owner: Database
) -> None:
    """L1, L4, L5, L7 ("It must show" 5), with real loops and a mailbox that fails."""
    dice = random.Random(20_261_130)
    async with owner.transaction() as tx:
        for after in range(0, 40, 4):
            kind = dice.choice(("slow", "accept_then_drop", "rate_limited"))
            await tx.execute(
                "insert into mailbox.fault (kind, after, times, delay) values (:kind, :after, 1, 0.1)",
                kind=kind,
                after=after,
            )
    broadcast_id, seen = await studio.press(), Counter[int]()
    url = f"/broadcasts/{broadcast_id}"

    async def read() -> bool:
        return (await studio.api.get(url)).json()["state"] in ("sending", "finished")

    async with working(studio.worker):
        for turn in range(10):
            pressed = [("pause", "pause"), ("resume", "resume"), ("retry-failed",), ("send-to-missing",)]
            before = ""
            for act in chain(*dice.sample(pressed, len(pressed))):
                told = await studio.api.post(f"{url}/{act}")
                seen[told.status_code] += 1
                assert told.status_code in (200, 409), told.text
                if act == before:
                    assert told.status_code == 409, f"{act} twice"
                if act == "send-to-missing" and turn:
                    assert told.status_code == 200, told.text
                before = act
                one = (await studio.api.get(url)).json()
                assert one["audience"] == sum(one[part] for part in PARTS)
                figures = figures_in((await studio.page.get(studio.at(url))).text)
                assert parts_of(figures) == figures["audience"]
            if turn == 0:  # from now on its audience is read
                await studio.api.post(f"{url}/resume")
                await until(read)

        async def over() -> dict | None:
            one = (await studio.api.get(url)).json()
            if one["state"] == "paused":
                await studio.api.post(f"{url}/resume")
            return one if one["state"] == "finished" else None

        one = await until(over)
    assert one["sent"] == one["audience"] == 12
    async with owner.transaction() as tx:
        kept = await tx.rows("select count(*) as n from mailbox.mail group by to_address")
    assert [row.n for row in kept] == [1] * 12
    # Of each turn's six one surely fits, once the audience is read, and two surely do not.
    assert seen[200] >= 9
    assert seen[409] >= 20
