"""A call to a webhook was made and what became of it was not written: it is made again, the same (W2, E2)."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from app.cli.services import Services
from app.fakes import Reply
from tests.crash.telling import Telling
from tests.waiting import until

pytestmark = pytest.mark.anyio


async def test_sent_and_not_recorded_is_sent_again_with_the_same_id_and_octets(telling: Telling) -> None:
    """W2, W4, E2: killed between the answer and its record; delivered after two attempts, both on record."""
    await telling.strike("kill", "webhooks", "after_talk")
    await telling.announce(1)
    telling.first.start()
    assert telling.first.process is not None
    ended = await asyncio.to_thread(telling.first.process.wait, 60)
    assert ended == -signal.SIGKILL
    assert len(telling.script.calls) == 1
    telling.second.start()
    found = await telling.becomes(1, "delivered")
    assert await telling.second.stop() == 0
    assert list(telling.bodies().values()) == [2], "the same id and the same octets"
    assert found.line.attempts == 2
    assert [(one.number, one.outcome) for one in found.attempts] == [(1, "lost"), (2, "done")]


async def test_the_late_result_of_a_worker_that_froze_changes_nothing(telling: Telling) -> None:
    """E4: frozen with a failure in its hands; another delivered meanwhile, and delivered it stays."""
    telling.script.replies.append(Reply(404))
    await telling.strike("stop", "jobs", "before_settle")
    await telling.announce(1)
    telling.first.start()
    await telling.struck()
    telling.second.start()
    await telling.becomes(1, "delivered")
    telling.wake()
    found = await telling.late(1)
    assert await telling.first.stop() == await telling.second.stop() == 0
    assert found.line.state == "delivered"
    assert [one.outcome for one in found.attempts if not one.late] == ["lost", "done"]
    assert list(telling.bodies().values()) == [2]


async def test_the_database_dies_after_the_call_and_the_event_is_neither_lost_nor_another(
    telling: Telling, services: Services, tmp_path: Path
) -> None:
    """Field case H: crashed without a word while the answer was on its way, and up again soon after."""
    server = services.postgres
    assert server is not None
    gone = asyncio.Event()

    def crash() -> None:
        if not gone.is_set():
            pid = (tmp_path / "servers" / "postgres" / "postmaster.pid").read_text().split("\n", 1)[0]
            os.kill(int(pid), signal.SIGQUIT)  # as `pg_ctl -m immediate`
            gone.set()

    telling.on_call = crash
    await telling.announce(1)
    telling.first.start()
    await asyncio.wait_for(gone.wait(), 60)

    async def down() -> bool:
        return not server.running

    await until(down)
    await asyncio.to_thread(server.start)
    found = await telling.becomes(1, "delivered")
    assert await telling.first.stop() == 0
    assert len(telling.bodies()) == 1, "one id, one body"
    assert found.line.attempts == len(telling.script.calls) <= 2
