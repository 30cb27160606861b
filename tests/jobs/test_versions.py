"""Args of every version are read for ever, and a worker leaves those it does not know yet alone."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.base.database import Database
from app.jobs.backoff import DEFAULT
from app.jobs.registry import Kind, decoded, encoded, registered_kinds
from tests.jobs.kinds import Answer, Orphan
from tests.jobs.makers import attempts, change, in_state, job, put, working
from workers import catalog, schedule

FIXTURES = Path(__file__).parent / "fixtures"
assert schedule.SCHEDULE


def kinds() -> list[Kind]:
    """What ships; the kinds of tests apart."""
    catalog.load()
    return [kind for kind in registered_kinds() if not kind.name.startswith("test_")]


def fixture(name: str, version: int) -> dict[str, Any]:
    path = FIXTURES / f"{name}.{version}.json"
    assert path.exists(), f"commit {path.relative_to(FIXTURES.parents[2])}: stored args of that version"
    return json.loads(path.read_text("utf-8"))


async def test_every_kind_has_a_fixture_of_each_version_that_is_read() -> None:
    """What was stored once is read for ever: nothing missing, nothing dropped."""
    assert len(kinds()) > 5
    for kind in kinds():
        for version in range(1, kind.version + 1):
            stored = fixture(kind.name, version)
            read = msgspec.json.decode(msgspec.json.encode(encoded(decoded(kind, stored, version))))
            if version == kind.version:
                assert stored.items() <= read.items(), f"{kind.name} {version} loses something"


async def test_no_fixture_is_of_a_kind_that_is_gone() -> None:
    """A kind that is no longer made is still read while a job of it may wait: remove both at once, late."""
    known = {f"{kind.name}.{version}" for kind in kinds() for version in range(1, kind.version + 1)}
    assert {path.stem for path in FIXTURES.glob("*.json")} == known


async def test_old_args_are_upgraded_step_by_step() -> None:
    kind = Kind(
        "test_upgraded", "build", Answer, 5, "ready", (), DEFAULT,
        (lambda old: {"answer": old["word"]}, lambda old: {"outcome": old["answer"], "reason": "upgraded"}),
    )  # fmt: skip
    assert kind.version == 3
    new = Answer("done", "upgraded")
    assert decoded(kind, {"word": "done"}, 1) == new
    assert decoded(kind, {"answer": "done"}, 2) == new
    assert decoded(kind, {"outcome": "done", "reason": "upgraded"}, 3) == new
    assert decoded(kind, {"outcome": "done", "reason": "upgraded"}) == new


@pytest.mark.parametrize("rank", [None, 1])
async def test_a_worker_leaves_args_of_a_newer_version_alone(
    web: Database, worker: Database, owner: Database, rank: int | None
) -> None:
    """A worker of version N beside N + 1: what the newer made waits, untouched, for a newer worker."""
    newer = await put(web, Answer("done"), lane="a" if rank else None, rank=rank)
    await change(owner, "update job set version = 2")
    orphan = await put(web, Orphan())
    known = await put(web, Answer("done"))
    async with working(worker):
        await in_state(owner, known, "done")
    for one in (newer, orphan):
        assert ((await job(owner, one)).state, await attempts(owner, one)) == ("ready", [])
    await change(owner, "update job set version = 1 where id = :id", id=newer)
    async with working(worker):
        await in_state(owner, newer, "done")
