"""Counts and lists are found by jobs, and say of each delivery what its own page says."""

from collections import Counter
from itertools import product
from uuid import UUID

import pytest

from app import webhooks
from app.base.database import Database
from app.webhooks import DeliveryState, Wanted
from tests.webhooks.makers import an_account, an_endpoint, rows

JOBS = ("ready", "leased", "held", "done", "dead", "superseded", "discarded")
#: Every way a job can be: state, attempts, throttles, rank (the newest is 5), each more than once.
WAYS = [*product(JOBS, (0, 1, 2), (0, 1), (None, 3, 5))] * 2
ENDPOINTS = {
    "active": "state = 'active'",
    "paused": "state = 'paused'",
    "disabled": "state = 'disabled', reason = 'it failed'",
    "deleted": "deleted_at = now()",
}
_EVENTS = """
insert into event (account_id, id, webhook_id, type, data, release, sequence, body)
select 7, n, 'evt_' || n, case when n % 3 = 0 then 'post.published' else 'release.published' end, '{}',
       n % 5, n, ''
from generate_series(1, :events) n
"""
_JOBS = """
insert into job (account_id, queue, kind, args, share, state, attempts, throttles, rank, lane, reason, lease,
                 leased_by, leased_at, leased_until, finished_at)
select 7, 'webhooks', 'deliver_webhook', jsonb_build_object('delivery_id', gen_random_uuid(), 'event_id', w.n,
           'endpoint_id', cast(:endpoint as uuid), 'redelivery', 0), 'endpoint:' || cast(:endpoint as uuid),
       w.state, w.attempts, w.throttles, w.rank,
       case when w.state = 'leased' then 'lane ' || gen_random_uuid()
           when w.rank is not null then 'endpoint:' || cast(:endpoint as uuid) end, 'why', w.n,
       x.it, case when x.it is not null then now() end, case when x.it is not null then now() end,
       case when w.state in ('done', 'superseded', 'discarded') then now() end
from jsonb_to_recordset(cast(:ways as jsonb)) as w(n integer, state text, attempts integer, throttles integer,
                                                   rank bigint)
cross join lateral (select case when w.state = 'leased' then 'w' end as it) as x
order by w.n
"""
_DELIVERIES = """
insert into delivery (account_id, id, event_id, endpoint_id, job_id)
select 7, cast(args ->> 'delivery_id' as uuid), cast(args ->> 'event_id' as bigint),
       cast(:endpoint as uuid), id
from job where share = 'endpoint:' || cast(:endpoint as uuid)
"""


@pytest.fixture
async def endpoint(owner: Database, web: Database) -> UUID:
    """One with deliveries in every state, and another with some more."""
    await an_account(owner)
    found: list[UUID] = []
    ways = [
        {"n": n, "state": state, "attempts": tried, "throttles": throttles, "rank": rank}
        for n, (state, tried, throttles, rank) in enumerate(WAYS, 1)
    ]
    async with owner.transaction() as tx:
        await tx.execute(_EVENTS, events=len(WAYS))
    for some in (ways, ways[:20]):
        made, _ = await an_endpoint(web)
        async with owner.transaction() as tx:
            await tx.execute(
                "alter table job disable trigger user"
            )  # a job begins ready, and moves from there
            await tx.execute(_JOBS, endpoint=made.id, ways=some)
            await tx.execute("alter table job enable trigger user")
            await tx.execute(
                "insert into lane (account_id, lane, newest_rank) values (7, :lane, 5)",
                lane=f"endpoint:{made.id}",
            )
            await tx.execute(_DELIVERIES, endpoint=made.id)
        found.append(made.id)
    return found[0]


@pytest.mark.parametrize("stands", ENDPOINTS)
async def test_counts_and_lists_say_what_each_delivery_says(
    web: Database, owner: Database, endpoint: UUID, stands: str
) -> None:
    """Of every state of a job, tried or not, put off or not, ranked or not; page by page."""
    async with owner.transaction() as tx:
        await tx.execute(f"update endpoint set {ENDPOINTS[stands]} where id = :id", id=endpoint)
    said = await rows(
        owner,
        "select id, state from delivery_state where endpoint_id = :id order by job_id desc",
        id=endpoint,
    )
    assert len(said) == len(WAYS)
    async with web.transaction(7) as tx:
        counts = await webhooks.delivery_counts(tx, endpoint)
        assert {state: n for state, n in counts.items() if n} == Counter(row.state for row in said)
        for state in DeliveryState:
            found: list[UUID] = []
            while page := await webhooks.deliveries(
                tx, endpoint, Wanted(state=state), before=found[-1] if found else None, most=7
            ):
                assert {line.state for line in page} == {state}
                found += [line.id for line in page]
            assert found == [row.id for row in said if row.state == state]


async def test_state_type_and_release_go_together(web: Database, endpoint: UUID, owner: Database) -> None:
    """Each way of asking finds those that all it asks for is true of."""
    said = await rows(
        owner, "select id, state, type, release from delivery_state where endpoint_id = :id", id=endpoint
    )
    async with web.transaction(7) as tx:
        for state, type, release in product(("", "failed", "held"), ("", "post.published"), (None, 2)):
            found = await webhooks.deliveries(tx, endpoint, Wanted(state, type, release), most=500)
            assert {line.id for line in found} == {
                row.id
                for row in said
                if state in ("", row.state) and type in ("", row.type) and release in (None, row.release)
            }
            assert found
