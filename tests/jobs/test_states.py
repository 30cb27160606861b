"""The table of moves is the database's: every pair is tried against the real trigger."""

from itertools import product

import pytest
from sqlalchemy.exc import DBAPIError

from app.base.database import Database
from app.jobs.states import FINAL, MOVES, JobState
from tests.jobs.kinds import Answer
from tests.jobs.makers import change, job, put

PATHS: dict[str, list[str]] = {
    "ready": [],
    "leased": ["leased"],
    "held": ["held"],
    "done": ["held", "done"],
    "dead": ["held", "dead"],
    "superseded": ["superseded"],
    "discarded": ["discarded"],
}
SETS = """
update job set state = cast(:state as text), reason = 'because',
    lease = case when cast(:state as text) = 'leased' then nextval('job_lease') else lease end,
    leased_by = case when cast(:state as text) = 'leased' then 'w' end,
    leased_at = case when cast(:state as text) = 'leased' then clock_timestamp() end,
    leased_until = case when cast(:state as text) = 'leased' then clock_timestamp() end,
    finished_at = case when cast(:state as text) in ('done', 'superseded', 'discarded')
                  then clock_timestamp() end
"""


async def test_the_database_allows_exactly_the_moves_of_the_table(web: Database, owner: Database) -> None:
    """All 42 pairs, written by the owner: the trigger refuses whoever writes."""
    allowed: dict[str, set[str]] = {state: set() for state in PATHS}
    for old, new in product(PATHS, PATHS):
        if old == new:
            continue
        await put(web, Answer("done"))
        for state in PATHS[old]:
            await change(owner, SETS, state=state)
        try:
            await change(owner, SETS, state=new)
        except DBAPIError as error:
            if f"cannot go from {old} to {new}" not in str(error):
                raise
        else:
            allowed[old].add(new)
        await change(owner, "delete from job")
    assert allowed == {str(state): {str(to) for to in moves} for state, moves in MOVES.items()}


async def test_the_states_are_those_of_the_check(owner: Database) -> None:
    async with owner.transaction() as tx:
        check = await tx.value(
            "select pg_get_constraintdef(oid) from pg_constraint where conname = 'job_state_check'"
        )
    assert {word for word in check.split("'") if word.isalpha()} >= {str(state) for state in JobState}
    assert check.count("::text") - 1 <= len(JobState) + 1
    assert {state for state in JobState if not MOVES[state]} == FINAL


_CONTRADICTIONS: list[tuple[str, str]] = [
    ("update job set account_id = 8", "keeps its id, account and kind"),
    ("update job set kind = 'other'", "keeps its id, account and kind"),
    ("update job set lease = 5; update job set lease = 4", "only grows"),
    ("update job set state = 'dead'", "cannot go from ready to dead"),
    ("update job set state = 'leased', lease = 1", "leased_has_holder"),
    ("update job set leased_by = 'w', leased_at = now(), leased_until = now()", "leased_has_holder"),
    ("update job set finished_at = now()", "final_has_finish"),
    ("update job set state = 'held'", "kept_has_reason"),
    (
        "insert into job (account_id, queue, kind, args, share, state)"
        " values (7, 'q', 'k', '{}', '7', 'done')",
        "begins ready",
    ),
]


async def test_a_row_that_contradicts_itself_is_refused(
    subtests: pytest.Subtests, web: Database, owner: Database
) -> None:
    for wrong, said in _CONTRADICTIONS:
        with subtests.test(wrong=wrong, said=said):
            made = await put(web, Answer("done"))
            with pytest.raises(DBAPIError, match=said):  # noqa: PT012 - one act in two statements
                async with owner.transaction() as tx:
                    for statement in wrong.split("; "):
                        await tx.execute(statement)
            assert (await job(owner, made)).state == "ready"


async def test_leasing_needs_a_new_lease(web: Database, owner: Database) -> None:
    await put(web, Answer("done"))
    await change(owner, SETS, state="leased")
    await change(owner, SETS, state="ready")
    with pytest.raises(DBAPIError, match="needs a new lease"):
        await change(
            owner,
            "update job set state = 'leased', leased_by = 'w', leased_at = now(), leased_until = now()",
        )
