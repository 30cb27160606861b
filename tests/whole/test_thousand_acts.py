"""A thousand acts at random, in every state: figures add up, sentences are true, nobody gets two."""

import random
from collections import Counter
from collections.abc import AsyncIterator

import pytest

from app.base.database import Database
from app.broadcasts import broadcast_view
from tests.broadcasts.machine import MACHINES, PEOPLE, Machine
from tests.broadcasts.makers import Studio, a_studio, an_empty_mailbox
from workers import catalog

pytestmark = pytest.mark.anyio
ACTS, SEED = 1_000, 20_261_130


@pytest.fixture
async def studio(owner: Database, web: Database, worker: Database) -> AsyncIterator[Studio]:
    """Ana's studio with twelve readers; nobody asks it over the network."""
    catalog.load()
    async with an_empty_mailbox(owner), a_studio("http://localhost", web, worker) as made:
        yield made


async def machine(studio: Studio, dice: random.Random) -> Machine:
    """A broadcast of its own, just pressed."""
    broadcast_id = await studio.press(f"Letter {dice.random()}")
    async with studio.web.transaction(studio.desk.account_id) as tx:
        view = await broadcast_view(tx, broadcast_id)
    assert view is not None
    return Machine(studio, broadcast_id, view.mailing.id, dice)


async def test_a_thousand_acts_at_random_leave_every_figure_and_sentence_true(
    studio: Studio, capsys: pytest.CaptureFixture[str]
) -> None:
    """L1, L4, L5, L7, L10 ("It must show" 5)."""
    dice = random.Random(SEED)
    acts, mailings, seen = 0, 0, Counter[str]()
    while acts < ACTS:
        one = await machine(studio, dice)
        mailings += 1
        if dice.random() < 0.5:  # half of them begin finished, and are taken up again
            await one.until_over()
        for _ in range(dice.randint(20, 60)):
            for _ in range(dice.randint(0, 3)):
                await one.step(dice.choice(MACHINES))
                await one.check()
            # A cancel ends it for good: rare, so that the other acts meet every state too.
            name = dice.choice(PEOPLE)
            if name == "cancel" and dice.random() < 0.8:
                name = "resume"
            state = (await one.truth())[0]
            await one.act(name)
            await one.check()
            seen[f"{name} while {state}"] += 1
        acts += one.fitted + one.refused
        await one.until_over()
        doubled = {to: len(mails) for to, mails in one.copies().items() if len(mails) > 1}
        assert doubled == {}, (mailings, one.did)
        assert len(one.copies()) == (await one.truth())[3].get("sent", 0)
    with capsys.disabled():
        print(f"\n{acts} acts on {mailings} mailings, {len(seen)} pairs of act and state")
    for state in ("building", "sending", "paused", "finished", "cancelled"):
        for name in PEOPLE:
            assert seen[f"{name} while {state}"], f"{name} never met {state}"
