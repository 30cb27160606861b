"""The tables of states: a delivery's is its job's and its endpoint's, wherever it is asked; how they move."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from itertools import product
from uuid import UUID

import pytest
from sqlalchemy.exc import DBAPIError

from app import webhooks
from app.base.database import Database, Tx
from app.base.errors import Conflict
from app.webhooks.fanning import fan_out_some
from app.webhooks.states import DELIVERY_MOVES, ENDPOINT_MOVES, DeliveryState, EndpointState
from app.webhooks.switching import switch_off
from tests.jobs.test_states import PATHS, SETS
from tests.webhooks.makers import an_account, an_endpoint, tell

Act = Callable[[Tx, UUID], Awaitable[object]]
ENDPOINTS = ("active", "paused", "disabled", "deleted")
#: What became of the tries so far: (attempts, throttles), the one in hand counted.
NEVER, FIRST, PUT_OFF, TRIED, AGAIN, PUT_OFF_AGAIN = (0, 0), (1, 0), (0, 1), (1, 0), (2, 0), (1, 1)
TABLE: list[tuple[str, tuple[int, int], bool, str]] = [
    # job, tries, is a newer release there; the delivery's state by the endpoint's, in the order of ENDPOINTS
    ("ready", NEVER, False, "pending held held failed"),
    ("ready", TRIED, False, "retrying held held failed"),
    ("ready", PUT_OFF, False, "retrying held held failed"),
    ("ready", NEVER, True, "superseded superseded superseded failed"),
    ("ready", TRIED, True, "superseded superseded superseded failed"),
    ("leased", FIRST, False, "pending pending pending pending"),
    ("leased", AGAIN, False, "retrying retrying retrying retrying"),
    ("leased", PUT_OFF_AGAIN, False, "retrying retrying retrying retrying"),
    ("leased", FIRST, True, "pending pending pending pending"),
    ("held", NEVER, False, "held held held failed"),
    ("held", TRIED, False, "held held held failed"),
    ("held", TRIED, True, "superseded superseded superseded failed"),
    *((job, TRIED, newer, " ".join([state] * 4))
      for job, state in (("done", "delivered"), ("dead", "failed"), ("discarded", "failed"),
                         ("superseded", "superseded"))
      for newer in (False, True)),
]  # fmt: skip


class _Back(Exception):
    pass


@asynccontextmanager
async def _undone(owner: Database) -> AsyncIterator[Tx]:
    """A transaction of which nothing stays."""
    with suppress(_Back):
        async with owner.transaction(7) as tx:
            yield tx
            raise _Back


async def _put(tx: Tx, job: str, tries: tuple[int, int], newer: bool, endpoint: str) -> None:
    of_ours = " where kind = 'deliver_webhook'"
    for state in PATHS[job]:
        await tx.execute(SETS + of_ours, state=state)
    await tx.execute(f"update job set attempts = :a, throttles = :t{of_ours}", a=tries[0], t=tries[1])
    if newer:
        await tx.execute("update lane set newest_rank = 2 where lane like 'endpoint:%'")
    if endpoint == "deleted":
        await tx.execute("update endpoint set deleted_at = now()")
    else:
        await tx.execute("update endpoint set state = :state, reason = 'why'", state=endpoint)


async def test_the_state_of_a_delivery_follows_from_its_job_and_its_endpoint(
    subtests: pytest.Subtests, web: Database, worker: Database, owner: Database
) -> None:
    """By its own page, the list, the filter and the counts alike; `next_at` while it is to be tried alone."""
    await an_account(owner)
    made, _ = await an_endpoint(web)
    await tell(web, "release.published", {"release": 1}, release=1)
    async with worker.transaction(7) as tx:
        await fan_out_some(tx)
    for (job, tries, newer, states), (which, endpoint) in product(TABLE, enumerate(ENDPOINTS)):
        state = states.split()[which]
        with subtests.test(job=job, tries=tries, newer=newer, endpoint=endpoint, state=state):
            async with _undone(owner) as tx:
                await _put(tx, job, tries, newer, endpoint)
                (line,) = await webhooks.deliveries(tx, made.id)
                assert line.state == state
                assert (line.next_at is not None) == (job == "ready" and state in ("pending", "retrying"))
                if newer:
                    assert line.superseded_by == (2 if state == "superseded" else None)
                assert (await webhooks.delivery(tx, line.id)).line == line
                assert await webhooks.deliveries(tx, made.id, webhooks.Wanted(state=state)) == [line]
                counts = await webhooks.delivery_counts(tx, made.id)
                assert counts == {str(one): int(one == state) for one in DeliveryState}


ACTS: dict[EndpointState, Act] = {
    EndpointState.ACTIVE: webhooks.resume_endpoint,
    EndpointState.PAUSED: webhooks.pause_endpoint,
    EndpointState.DISABLED: lambda tx, endpoint_id: switch_off(tx, endpoint_id, 0, "it answered 410"),
}


async def _become(owner: Database, *states: str) -> None:
    async with owner.transaction() as tx:
        for state in states:
            await tx.execute("update endpoint set state = :state, reason = 'why', era = 0", state=state)


async def test_the_database_allows_exactly_the_moves_of_the_table(web: Database, owner: Database) -> None:
    """Every pair, written by the owner: the trigger refuses whoever writes."""
    await an_account(owner)
    await an_endpoint(web)
    allowed: dict[EndpointState, set[EndpointState]] = {state: set() for state in EndpointState}
    for was, wanted in product(EndpointState, EndpointState):
        await _become(owner, "active", was)
        try:
            await _become(owner, wanted)
        except DBAPIError as error:
            if f"cannot go from {was} to {wanted}" not in str(error):
                raise
        else:
            if was != wanted:
                allowed[was].add(wanted)
    assert allowed == ENDPOINT_MOVES


async def test_an_endpoint_moves_as_the_table_of_moves_says(web: Database, owner: Database) -> None:
    """Each act in each state; what changes nothing is no move."""
    await an_account(owner)
    made, _ = await an_endpoint(web)
    moved: dict[EndpointState, set[EndpointState]] = {state: set() for state in EndpointState}
    for was, wanted in product(EndpointState, EndpointState):
        await _become(owner, "active", was)
        with suppress(Conflict):
            async with web.transaction(7) as tx:
                await ACTS[wanted](tx, made.id)
        async with web.transaction(7) as tx:
            now = EndpointState((await webhooks.endpoint(tx, made.id)).state)
        assert now in (was, wanted)
        if now != was:
            moved[was].add(now)
    assert moved == ENDPOINT_MOVES


async def test_one_that_switched_itself_off_is_not_paused(web: Database, owner: Database) -> None:
    """The reason would be gone, and with it why nothing is heard; the other way round it is kept."""
    await an_account(owner)
    made, _ = await an_endpoint(web)
    async with web.transaction(7) as tx:
        await webhooks.pause_endpoint(tx, made.id)
        era = await tx.value("select era from endpoint")
        await switch_off(tx, made.id, era, "It answered 410 Gone.")
    with pytest.raises(Conflict, match="is switched off"):
        async with web.transaction(7) as tx:
            await webhooks.pause_endpoint(tx, made.id)
    async with web.transaction(7) as tx:
        found = await webhooks.endpoint(tx, made.id)
    assert (found.state, found.reason) == ("disabled", "It answered 410 Gone.")


def test_a_delivery_has_a_row_of_moves_for_each_state() -> None:
    """What is over for its job is over for it: no move leads out of where jobs have none."""
    assert set(DELIVERY_MOVES) == set(DeliveryState)
    over = {state for state in DeliveryState if not DELIVERY_MOVES[state]}
    assert over == {DeliveryState.DELIVERED, DeliveryState.SUPERSEDED}
