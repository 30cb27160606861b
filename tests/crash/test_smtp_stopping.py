"""A worker process that is stopped or killed while a mail is after its final dot."""

import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import UUID

import pytest

from app.base.database import Database
from app.base.settings import Settings
from app.fakes import FakeSmtp, Fault
from app.ledger import Figures, sweep
from tests.ledger.makers import Audience, audience_of, build, figures_of, mailing_to
from tests.smtp.makers import a_server, in_settings
from tests.waiting import until

pytestmark = pytest.mark.anyio
ROOT = Path(__file__).parents[2]


@pytest.fixture
async def fake(settings_env: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeSmtp]:
    async with a_server() as made:
        in_settings(made, monkeypatch, SEND_TIMEOUT="2", WEBHOOK_TIMEOUT="2")
        yield made


@pytest.fixture
def process(fake: FakeSmtp, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A worker of its own, which waits up to ten minutes for the answer to a dot."""
    with (tmp_path / "log").open("wb") as log:
        started = subprocess.Popen(
            [sys.executable, "-m", "workers", "--queues", "sends"], cwd=ROOT, stderr=log, env=dict(os.environ)
        )
        yield started
        started.kill()
        started.wait()


async def stalled(fake: FakeSmtp, web: Database, worker: Database) -> tuple[Audience, UUID]:
    """Twelve readers, of whom every fourth stays after the dot; the rest is sent."""
    fake.order(Fault("end", "stall", every=4, kept=True, times=None))
    audience = await audience_of(web, 12)
    mailing = await mailing_to(web, audience)
    await build(worker, audience, mailing)

    async def all_handed_over() -> bool:
        return len(fake.kept) == 12

    await until(all_handed_over)
    return audience, mailing


async def test_sigterm_settles_as_unknown_what_is_after_the_dot_and_ends_in_time(
    fake: FakeSmtp, web: Database, worker: Database, process: subprocess.Popen[bytes]
) -> None:
    """E9, L4: the process itself says so; nothing is repeated, nothing lost."""
    audience, mailing = await stalled(fake, web, worker)
    began = time.monotonic()
    process.terminate()

    async def ended() -> bool:
        return process.poll() is not None

    await until(ended)
    assert process.returncode == 0
    assert time.monotonic() - began < 2 + 15
    figures = await figures_of(worker, audience, mailing)
    assert (figures.sent, figures.unknown, figures.to_go) == (9, 3, 0)
    assert len(fake.kept) == 12


async def test_sigkill_after_the_dot_is_unknown_and_never_sent_again(
    fake: FakeSmtp, web: Database, worker: Database, process: subprocess.Popen[bytes]
) -> None:
    """L4, E2; not before the answer's time is over: the worker might have lived."""
    audience, mailing = await stalled(fake, web, worker)

    async def nine_sent() -> bool:
        return (await figures_of(worker, audience, mailing)).sent == 9

    await until(nine_sent)
    process.kill()
    process.wait()
    await sweep(worker)
    assert (await figures_of(worker, audience, mailing)).unknown == 0
    async with worker.transaction(audience.account_id) as tx:
        await tx.execute("update batch set call_until = call_until - interval '10 minutes 2 seconds'")

    async def swept() -> Figures | None:
        await sweep(worker)
        found = await figures_of(worker, audience, mailing)
        return found if found.unknown == 3 else None

    assert (await until(swept)).to_go == 0
    assert len(fake.kept) == 12
