"""A worker freezes with a mail server's yes in hand, past its time: what it then says is evidence (L1)."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from app.ledger import possible_doubles
from tests.crash.crew import Crew
from tests.crash.mailings import SENDS
from tests.crash.smtp_mailings import SmtpMailing, an_smtp_crew

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def crew(migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crew]:
    with an_smtp_crew(migrated, tmp_path_factory.mktemp("late")) as made:
        yield made


@pytest.fixture
async def mailing(crew: Crew, tmp_path: Path) -> AsyncIterator[SmtpMailing]:
    """One reader, whose copy the server has; who knows it is frozen, to all others it is unknown."""
    made = SmtpMailing(crew)
    await made.begin()
    await made.serve(tmp_path / "kept")
    await made.strike("stop", "ledger", "after_talk", SENDS)
    await made.write_to(1)
    [frozen] = await made.struck()
    await made.over(frozen)
    await made.shows(unknown=1)
    yield made
    await made.end()


async def frozen(mailing: SmtpMailing) -> int:
    [pid] = await mailing.struck()
    return pid


async def test_it_settles_what_nobody_decided_yet(mailing: SmtpMailing) -> None:
    """L1, L4: sent, in one copy, without a person."""
    await mailing.woken(await frozen(mailing))
    await mailing.shows(sent=1)
    await mailing.each_has_one_by_the_log()


async def test_it_makes_known_that_a_person_had_it_sent_twice(mailing: SmtpMailing) -> None:
    """L1: sent again by a person who could not know better; the double is named, and not counted twice."""
    await mailing.decides("planned", list((await mailing.unsure()).values()))
    await mailing.audited()
    await mailing.woken(await frozen(mailing))
    assert list((await mailing.copies()).values()) == [2], "what the server has"
    view = await mailing.audited()
    assert (view.state, view.figures.sent) == ("finished", 1)

    async def named() -> bool:
        async with mailing.web.transaction(mailing.audience.account_id) as tx:
            return len(await possible_doubles(tx, mailing.id)) == 1

    await mailing.all_of(named)
