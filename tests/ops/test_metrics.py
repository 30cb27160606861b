"""`/metrics`: what Prometheus reads, who may, and that it costs next to nothing."""

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from app.base import ids
from app.base.database import Database
from app.base.settings import Settings, settings
from app.base.statements import sql
from app.jobs import add_counts, count_outcome, enqueue_many
from app.jobs.queue import Order
from app.ops.figures import Kept
from app.ops.traffic import PARTS, part_of
from tests.jobs.kinds import Note
from tests.jobs.makers import change, two_accounts
from tests.web_server import as_if_a_worker_lived, client_of, on_site, serving

TOKEN = "a-token-of-more-than-thirty-two-characters"  # noqa: S105
AWAY = {"X-Forwarded-For": "198.51.100.7"}  # a proxy on this machine speaks for somebody else


@pytest.fixture
async def godwit(settings_env: Settings, owner: Database) -> AsyncIterator[str]:
    await two_accounts(owner)
    async with serving() as url:
        yield url


async def told(url: str, **how: Any) -> dict[tuple[str, tuple[str, ...]], float]:
    """(name, label values in the order of the labels' names) → value."""
    async with client_of(url) as client:
        answer = await client.get("/metrics", **how)
    assert answer.status_code == 200, answer.text
    families = text_string_to_metric_families(answer.text)
    return {
        (sample.name, tuple(sample.labels[key] for key in sorted(sample.labels))): sample.value
        for family in families
        for sample in family.samples
    }


async def put(web: Database, n: int, share: str) -> None:
    async with web.transaction(account_id=7) as tx:
        await enqueue_many(tx, [Order(Note("x", "/dev/null"), share=share) for _ in range(n)])


async def test_queues_shares_and_workers_are_told(godwit: str, web: Database, worker: Database) -> None:
    await put(web, 3, "a")
    await put(web, 1, "b")
    await as_if_a_worker_lived(worker)
    found = await told(godwit)
    assert found["godwit_jobs", ("build", "ready")] == 4
    assert found["godwit_waiting_shares", ("build",)] == 2
    assert found["godwit_largest_share_jobs", ("build",)] == 3
    assert 0 <= found["godwit_oldest_due_seconds", ("build",)] < 120
    assert found["godwit_workers", ("webhooks",)] == 1
    assert found["godwit_unknown_batches", ()] == 0
    assert found["godwit_database_up", ()] == 1
    assert found["process_resident_memory_bytes", ()] > 1_000_000


async def test_what_is_leased_held_and_dead_is_told_and_an_expired_lease_apart(
    godwit: str, web: Database, owner: Database
) -> None:
    await put(web, 4, "a")
    async with owner.transaction() as tx:
        low = await tx.value("select min(id) from job")
        lease = (
            "update job set state = 'leased', attempts = 1, lease = :n, leased_by = 'w', leased_at = now(),"
            " leased_until = now() + make_interval(secs => :secs) where id = :id"
        )
        await tx.execute(lease, n=1, id=low, secs=60)
        await tx.execute(lease, n=2, id=low + 1, secs=-60)
        await tx.execute("update job set state = 'held', reason = 'r' where id = :id", id=low + 2)
    found = await told(godwit)
    assert {found["godwit_jobs", ("build", state)] for state in ("ready", "held")} == {1}
    assert found["godwit_jobs", ("build", "leased")] == 2
    assert found["godwit_leases", ("build", "open")] == found["godwit_leases", ("build", "expired")] == 1


async def test_outcomes_are_counted_by_kind_and_only_grow(godwit: str, worker: Database) -> None:
    """E4, E6: late results and throttles among them."""
    for outcome in ("done", "done", "throttled", "late"):
        count_outcome("build", "test_note", outcome)
    async with worker.transaction() as tx:
        await add_counts(tx)
    async with worker.transaction() as tx:
        await add_counts(tx)  # nothing new
    count_outcome("build", "test_note", "done")
    async with worker.transaction() as tx:
        await add_counts(tx)
    found = await told(godwit)
    assert found["godwit_job_outcomes_total", ("test_note", "done")] == 3
    assert found["godwit_job_outcomes_total", ("test_note", "throttled")] == 1
    assert found["godwit_job_outcomes_total", ("test_note", "late")] == 1


async def test_what_was_counted_in_a_transaction_that_failed_is_counted_again(
    settings_env: Settings, worker: Database, owner: Database
) -> None:
    count_outcome("build", "test_note", "done")
    with suppress(LookupError):
        async with worker.transaction() as tx:
            await add_counts(tx)
            raise LookupError
    async with worker.transaction() as tx:
        await add_counts(tx)
    async with owner.transaction() as tx:
        assert await tx.value("select n from outcome_count where kind = 'test_note'") == 1


async def test_the_rate_is_that_of_the_last_full_minute(owner: Database, worker: Database) -> None:
    async def rate(minutes_ago: int) -> int:
        async with owner.transaction() as tx:
            await tx.execute(
                "update outcome_count set minute = date_trunc('minute', clock_timestamp())"
                " - make_interval(mins => :ago)",
                ago=minutes_ago,
            )
            return await tx.value("select last_minute from operator_outcome")

    for n in (5, 2):
        for _ in range(n):
            count_outcome("build", "test_note", "done")
        async with worker.transaction() as tx:
            await add_counts(tx)
    assert await rate(1) == 7
    count_outcome("build", "test_note", "done")
    async with worker.transaction() as tx:
        await add_counts(tx)
    assert await rate(0) == 7
    assert await rate(1) == 1
    assert await rate(2) == 0


async def test_a_worker_that_waited_past_the_minute_does_not_set_it_back(
    owner: Database, worker: Database
) -> None:
    """Its count is late, and the others' of the minute are kept."""
    for n in (5, 2):
        for _ in range(n):
            count_outcome("build", "test_note", "done")
        async with worker.transaction() as tx:
            await add_counts(tx)
        if n == 5:
            await change(owner, "update outcome_count set minute = minute + interval '1 hour'")
    async with owner.transaction() as tx:
        row = await tx.row("select n, this_minute, minute > clock_timestamp() as kept from outcome_count")
    assert (row.n, row.this_minute, row.kept) == (7, 7, True)


async def test_only_this_machine_an_operator_or_its_token_may_read(
    godwit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    async with client_of(godwit) as client:
        assert (await client.get("/metrics")).status_code == 200
        assert (await client.get("/metrics", headers=AWAY)).status_code == 403
        assert (await client.get("/metrics", headers=AWAY | bearer)).status_code == 403
        monkeypatch.setenv("GODWIT_METRICS_TOKEN", TOKEN)
        settings.cache_clear()
        assert (await client.get("/metrics", headers=AWAY | bearer)).status_code == 200
        by_address = {**AWAY, **bearer, "Host": "10.0.0.7:8000"}
        assert (await client.get("/metrics", headers=by_address)).status_code == 200
        wrong = {"Authorization": f"Bearer {TOKEN}x"}
        assert (await client.get("/metrics", headers=AWAY | wrong)).status_code == 403
    async with on_site(godwit, "seven") as site:
        assert (await site.get("/metrics")).status_code == 404


async def test_answers_are_counted_by_part_and_status_and_never_by_path(godwit: str) -> None:
    """Whatever strangers ask for, nothing grows."""

    def counted(found: dict[Any, float], part: str, status: str) -> float:
        return found.get(("godwit_http_answers_total", (part, status)), 0)

    before = await told(godwit)
    async with client_of(godwit) as client:
        for n in range(5):
            await client.get(f"/nowhere-{n}-{ids.new()}")
        await client.get("/api/v1/newsletters")
    async with on_site(godwit, "seven") as site:
        await site.get("/")
        await site.get(f"/{ids.new()}")
    after = await told(godwit)
    assert counted(after, "front", "404") - counted(before, "front", "404") == 5
    assert counted(after, "api", "401") - counted(before, "api", "401") == 1
    assert (
        sum(counted(after, "site", status) - counted(before, "site", status) for status in ("200", "404"))
        == 2
    )
    assert after["godwit_http_answer_seconds_count", ("api",)] > 0
    parts = {labels[0] for name, labels in after if name == "godwit_http_answers_total"}
    assert parts <= PARTS
    assert [part_of("/api/v1/x", site=True), part_of("/media/x", site=True), part_of("", site=False)] == [
        "site", "files", "front",
    ]  # fmt: skip


async def test_without_its_database_a_process_still_tells_of_itself(
    settings_env: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://postgres:x@127.0.0.1:1/godwit")
    settings.cache_clear()
    async with serving() as url:
        found = await told(url)
    assert found["godwit_database_up", ()] == 0
    assert found["process_resident_memory_bytes", ()] > 1_000_000
    assert ("godwit_unknown_batches", ()) not in found


async def test_the_figures_are_read_by_indexes_however_much_is_over(owner: Database) -> None:
    """20,000 that are over: none of them is looked at."""
    operators = Database.for_role("operator")
    async with owner.transaction() as tx:
        await tx.execute(
            "insert into job (account_id, queue, kind, args, share)"
            " select 0, 'build', 'anything', '{}', '0' from generate_series(1, 20000)"
        )
        await tx.execute(
            "update job set state = 'leased', attempts = 1, lease = 1, leased_by = 'w', leased_at = now(),"
            " leased_until = now()"
        )
        await tx.execute(
            "update job set state = 'done', finished_at = now(), leased_by = null, leased_at = null,"
            " leased_until = null"
        )
        await tx.execute("analyze job")
    async with operators.transaction() as tx:
        plan = "\n".join(row[0] for row in await tx.rows(f"explain {sql('app.ops', 'figures').text}"))
    await operators.close()
    assert "on job" in plan
    assert "Seq Scan on job" not in plan, plan


async def test_however_many_look_the_database_is_asked_once(
    settings_env: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GODWIT_MODE", "development")
    settings.cache_clear()
    asked = 0

    async def read(tx: Any) -> int:
        nonlocal asked
        asked += 1
        return asked

    operators = Database.for_role("operator")
    kept = Kept(read, seconds=60)
    assert [await kept.get(operators) for _ in range(3)] == [1, 1, 1]
    old = Kept(read, seconds=0)
    assert [await old.get(operators) for _ in range(2)] == [2, 3]
    await operators.close()
