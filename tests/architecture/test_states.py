"""Each slice's states are those of the database's CHECK (jobs' moves: tests/jobs/test_states.py)."""

import re

import pytest

from app.audiences.states import BULK_STATES
from app.base.database import Database
from app.imports.states import IMPORT_STATES
from app.jobs.states import JobState
from app.ledger.states import MAILING_MOVES, SEND_MOVES, BatchState, MailingState, SendState
from app.webhooks.states import EndpointState


@pytest.mark.parametrize(
    ("table", "states"),
    [
        ("job", JobState),
        ("send", SendState),
        ("tally", SendState),
        ("mailing", MailingState),
        ("batch", BatchState),
        ("import", IMPORT_STATES),
        ("bulk_act", BULK_STATES),
        ("endpoint", EndpointState),
    ],
)
async def test_the_states_are_those_of_the_check(owner: Database, table: str, states) -> None:
    async with owner.transaction() as tx:
        check = await tx.value(
            "select pg_get_constraintdef(oid) from pg_constraint where conname = :name",
            name=f"{table}_state_check",
        )
    assert set(re.findall(r"'(\w+)'", check)) == {str(state) for state in states}


def test_every_state_has_its_row_in_the_table_of_moves() -> None:
    assert set(SEND_MOVES) == set(SendState)
    assert set(MAILING_MOVES) == set(MailingState)
