"""What a load balancer and a watchman are told."""

import re
from typing import Any

import httpx
import pytest

from app.base.database import Database
from app.base.settings import Settings
from app.jobs import QUEUES
from app.ops import UNSEEN, Presence
from migrations.run import INSTALLED
from tests.web_server import as_if_a_worker_lived, client_of, serving

_WAITING = """
insert into job (account_id, queue, kind, args, share, run_at)
values (:account, :queue, 'anything', '{}', :share, now() - make_interval(secs => :seconds))
"""
_LEASE = """
update job set state = 'leased', attempts = 1, lease = 1, leased_by = 'w', leased_at = now(),
    leased_until = now() + interval '1 minute' where run_at > now() - interval '1 minute'
"""
_SILENT = "update worker set seen_at = clock_timestamp() - make_interval(secs => :seconds)"


@pytest.fixture
async def seen(settings_env: Settings, worker: Database) -> Presence:
    """A worker of every queue."""
    return await as_if_a_worker_lived(worker)


async def readyz() -> httpx.Response:
    async with serving() as url, client_of(url) as client:
        return await client.get("/readyz")


async def do(owner: Database, statement: str, **binds: Any) -> None:
    async with owner.transaction() as tx:
        await tx.execute(statement, **binds)


async def waiting(owner: Database, seconds: int, queue: str = "build", share: str = "0", account: int = 0):
    await do(owner, _WAITING, queue=queue, share=share, account=account, seconds=seconds)


def seconds_of(queue: str, told: httpx.Response) -> int:
    """For how long the one queue that is late has waited; machines that have much to do ask later."""
    said = re.fullmatch(
        rf"Due work waits and nobody is at it: {queue} for (\d+) seconds\.", told.json()["due_work"]
    )
    assert said
    return int(said[1])


@pytest.mark.usefixtures("seen")
async def test_work_that_nobody_does_turns_health_red(owner: Database) -> None:
    """Field case: due jobs not dispatched until somebody noticed."""
    await waiting(owner, 301)
    told = await readyz()
    assert told.status_code == 503
    assert 301 <= seconds_of("build", told) < 400


@pytest.mark.usefixtures("seen")
async def test_work_that_is_merely_due_leaves_health_green(owner: Database) -> None:
    await waiting(owner, 60)
    told = await readyz()
    assert (told.status_code, told.json()) == (200, {"ready": True})


@pytest.mark.usefixtures("seen")
async def test_for_a_code_somebody_waits_so_its_limit_is_short(owner: Database) -> None:
    """M2."""
    await waiting(owner, 61, "codes_readers")
    assert 61 <= seconds_of("codes_readers", await readyz()) < 160


@pytest.mark.usefixtures("seen")
async def test_what_waits_behind_work_of_its_own_share_turns_nothing_red(owner: Database) -> None:
    """E10: one account's long import; as long as somebody really holds it."""
    await waiting(owner, 4000, "imports", "7")
    await waiting(owner, 0, "imports", "7")
    await do(owner, _LEASE)
    assert (await readyz()).status_code == 200
    await do(owner, "update job set leased_until = now() - interval '1 s' where state = 'leased'")
    assert "imports for" in (await readyz()).json()["due_work"]


@pytest.mark.usefixtures("seen")
async def test_a_receiver_that_fails_turns_nothing_red(owner: Database) -> None:
    """E10: its deliveries wait for it, not for us."""
    await do(owner, "insert into account (id, slug, name) values (7, 'seven', 'Seven')")
    await do(
        owner,
        "insert into endpoint (account_id, id, url, events, failures, failing_since)"
        " values (7, cast(:id as uuid), 'https://a.test', '{release.published}', 3, now())",
        id="00000000-0000-0000-0000-000000000001",
    )
    await waiting(owner, 4000, "webhooks", "endpoint:00000000-0000-0000-0000-000000000001", 7)
    assert (await readyz()).status_code == 200
    await do(owner, "update endpoint set failures = 0, failing_since = null")
    assert "webhooks for" in (await readyz()).json()["due_work"]


@pytest.mark.usefixtures("seen")
async def test_what_a_switch_keeps_back_is_not_due(owner: Database) -> None:
    """L10: held is not forgotten, and not late."""
    await do(owner, "insert into account (id, slug, name) values (7, 'seven', 'Seven')")
    await waiting(owner, 4000, "messages", "7", 7)
    assert "messages for" in (await readyz()).json()["due_work"]
    stop = (
        "insert into switch (account_id, stopped, holding, held_scope, reason, changed_by)"
        " values (7, true, true, 'all', 'r', 'me')"
    )
    await do(owner, stop)
    assert (await readyz()).status_code == 200


async def test_without_a_worker_health_is_red_and_names_the_queues(
    settings_env: Settings, worker: Database, owner: Database
) -> None:
    told = await readyz()
    assert told.status_code == 503
    assert told.json()["workers"].startswith("No worker was seen for codes_creators, codes_readers,")
    some = [queue for queue in QUEUES if queue != "webhooks"]
    await Presence("one:1", some).beat(worker)
    assert (await readyz()).json() == {
        "ready": False,
        "workers": "No worker was seen for webhooks in the last 30 seconds.",
    }
    await Presence("two:2", ["webhooks"]).beat(worker)
    assert (await readyz()).status_code == 200
    await do(owner, _SILENT + " where name = 'two:2'", seconds=UNSEEN + 1)
    assert "webhooks" in (await readyz()).json()["workers"]


async def test_who_starts_anew_within_the_time_is_not_missed(seen: Presence, worker: Database) -> None:
    """A restart is no alarm; a worker that said it leaves counts until its time is over."""
    await seen.leave(worker)
    assert (await readyz()).status_code == 200


@pytest.mark.usefixtures("seen")
async def test_a_clock_that_is_moved_makes_no_worker_look_dead(owner: Database) -> None:
    await do(owner, "update clock set ahead = interval '400 days'")
    assert (await readyz()).status_code == 200


async def test_who_was_gone_for_an_hour_is_forgotten_by_the_next_sign_of_life(
    seen: Presence, worker: Database, owner: Database
) -> None:
    """The table stays as small as there are workers."""
    await Presence("gone:1", ["build"]).beat(worker)
    await do(owner, _SILENT + " where name = 'gone:1'", seconds=3601)
    await seen.beat(worker)
    async with owner.transaction() as tx:
        assert [row.name for row in await tx.rows("select name from worker")] == ["here:1"]


@pytest.mark.usefixtures("seen")
async def test_a_month_without_its_part_is_red_before_it_comes(owner: Database) -> None:
    async with owner.transaction() as tx:
        part = await tx.value(
            "select 'attempt_' || to_char((now() at time zone 'UTC') + interval '1 month', 'YYYY_MM')"
        )
        await tx.execute(f"alter table attempt detach partition {part}")
    try:
        told = await readyz()
        assert told.status_code == 503
        month = part.removeprefix("attempt_").replace("_", "-")
        assert told.json()["partitions"] == f"The table of tries has no part for {month}."
    finally:
        await do(owner, f"drop table {part}")
        await do(owner, "select maintain_attempts()")
    assert (await readyz()).status_code == 200


async def test_a_database_that_no_worker_could_look_at_is_red(seen: Presence, owner: Database) -> None:
    """L1: no mail goes until one could, and a look that fails is heard of nowhere else."""
    await do(owner, "delete from installation")
    try:
        told = await readyz()
        assert told.status_code == 503
        assert told.json()["look"].startswith("Mail waits: no worker has looked at this database")
        await do(owner, _SILENT, seconds=UNSEEN + 1)
        assert "look" not in (await readyz()).json(), "that nobody runs is said, and is enough"
    finally:
        await do(owner, INSTALLED)


async def test_every_partitioned_table_is_one_that_health_looks_at(owner: Database) -> None:
    async with owner.transaction() as tx:
        rows = await tx.rows("select relname from pg_class where relkind = 'p'")
    assert [row.relname for row in rows] == ["attempt"]
