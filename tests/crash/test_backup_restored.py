"""A backup is restored in mid-broadcast: nothing goes before somebody decides, who is told why (L1, L10)."""

import asyncio
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from app.base.settings import settings
from app.cli.postgres import CLUSTER, postgres_bindir
from app.cli.services import Services
from app.fakes import FakeSmtp, Fault
from app.ledger import Figures
from tests.crash.scenario import LONG
from tests.crash.servers import start_again
from tests.crash.yard import Yard
from tests.ledger.makers import audience_of, build, figures_of, mailing_to
from tests.smtp.makers import a_server, in_settings
from tests.waiting import until

READERS = 24
_HELD = "select stopped and scope = 'all' and reason like 'This database was restored%' from switch"


@dataclass
class Backed:
    """A mailing of which some are sent, and some not."""

    yard: Yard
    services: Services
    fake: FakeSmtp
    audience: Any = None
    mailing: Any = None

    async def figures(self) -> Figures:
        """As the page tells them."""
        return await figures_of(self.yard.worker, self.audience, self.mailing)

    async def sent(self, least: int) -> None:
        """Wait until so many are sent."""

        async def enough() -> bool:
            return (await self.figures()).sent >= least

        await until(enough, seconds=LONG)

    def got(self) -> Counter[int]:
        """How many readers got how many mails, as the server on the other side logged them."""
        return Counter(Counter(mail.recipient for mail in self.fake.kept).values())

    async def servers_down(self) -> None:
        """Nobody works, nothing serves."""
        for database in (self.yard.web, self.yard.worker, self.yard.owner):
            await database.close()
        assert self.services.postgres is not None
        await asyncio.to_thread(self.services.postgres.stop)


@pytest.fixture
async def backed(yard: Yard, services: Services, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Backed]:
    """A mailing at ten a second, to a server that takes its time: who is told to stop has mail in hand."""
    async with a_server() as fake:
        fake.order(Fault("end", "slow", delay=0.3, times=None))
        in_settings(fake, monkeypatch, SEND_RATE="10", SEND_BATCH="1", SWEEP="0.2")
        made = Backed(yard, services, fake)
        made.audience = await audience_of(yard.web, READERS)
        made.mailing = await mailing_to(yard.web, made.audience)
        await build(yard.worker, made.audience, made.mailing)
        yield made


@asynccontextmanager
async def a_dump(backed: Backed, *how: str) -> AsyncIterator[None]:
    """`pg_dump` in mid-broadcast; at the end it is loaded into a fresh database."""
    folder, url = backed.yard.folder, settings().database.owner_url
    programs = postgres_bindir()
    if not (programs / "pg_dump").exists():
        pytest.skip("these programs of PostgreSQL have no pg_dump")
    dump = [programs / "pg_dump", "-Fc", "-f", folder / "dump", url]
    await asyncio.to_thread(subprocess.run, dump, check=True)
    yield
    other = url.rsplit("/", 1)[0] + "/postgres"
    for command in ("drop database godwit with (force)", "create database godwit"):
        psql = [programs / "psql", "-q", "-c", command, other]
        await asyncio.to_thread(subprocess.run, psql, check=True)
    load = [programs / "pg_restore", *how, "-d", url, folder / "dump"]
    await asyncio.to_thread(subprocess.run, load, check=True)


@asynccontextmanager
async def a_dump_at_once(backed: Backed) -> AsyncIterator[None]:
    """The same, loaded in one transaction."""
    async with a_dump(backed, "--single-transaction"):
        yield


@asynccontextmanager
async def a_copied_cluster(backed: Backed) -> AsyncIterator[None]:
    """The cluster's files, copied while nothing ran, in mid-broadcast; at the end they are put back."""
    cluster = backed.services.folder.path / CLUSTER
    await backed.servers_down()
    copy = ["cp", "-a", cluster, backed.yard.folder / "copy"]
    await asyncio.to_thread(subprocess.run, copy, check=True)
    await start_again(backed.services)
    yield
    await backed.servers_down()
    shutil.rmtree(cluster)
    os.rename(backed.yard.folder / "copy", cluster)
    await start_again(backed.services)


@pytest.mark.parametrize("backup", [a_dump, a_copied_cluster])
async def test_after_a_restore_nobody_gets_anything_until_an_operator_lets_it_go(
    backed: Backed, backup: Any
) -> None:
    """L1, L10: the books say that most are to be sent, the mail server that they were."""
    yard = backed.yard
    hand = yard.hire("sends,housekeeping", module="workers")
    await backed.sent(4)
    assert await hand.stop() == 0
    async with backup(backed):
        again = yard.hire("sends,housekeeping", module="workers")
        await backed.sent(READERS)
        assert await again.stop() == 0
    assert backed.got() == {1: READERS}
    assert (await backed.figures()).planned > 0, "the books went back"
    last = yard.hire("sends,housekeeping", module="workers")
    await last.says("worker_started")
    assert await yard.asked(_HELD)
    since = await yard.asked("select clock_timestamp()")  # each second it would be fed
    await yard.becomes(
        "select clock_timestamp() > cast(:since as timestamptz) + interval '2 seconds'", since=since
    )
    assert backed.got() == {1: READERS}, "not one more"
    await yard.asked("select set_switch(0, false, 'all', 'We looked.', 'Olga')")
    await yard.asked("select let_go(0, 'Olga')")
    await backed.sent(READERS)
    assert await last.stop() == 0
    assert set(backed.got()) == {1, 2}, "who decided was told; nobody is missing"


@pytest.mark.parametrize("backup", [a_dump, a_dump_at_once, a_copied_cluster])
async def test_who_is_at_work_while_it_is_restored_hands_nothing_out(backed: Backed, backup: Any) -> None:
    """L1: a worker lives on, finds the database again, and claims from it as soon as it can."""
    yard = backed.yard
    hand = yard.hire("sends,housekeeping", module="workers")
    await backed.sent(4)
    async with backup(backed):
        await backed.sent(READERS)
    await yard.becomes(_HELD)
    since = await yard.asked("select clock_timestamp()")
    await yard.becomes(
        "select clock_timestamp() > cast(:since as timestamptz) + interval '2 seconds'", since=since
    )
    assert (await backed.figures()).planned > 0, "the books went back"
    assert backed.got() == {1: READERS}, "not one more"
    assert await hand.stop() == 0
