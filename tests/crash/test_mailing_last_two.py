"""The two last batches of a mailing end at once, in two workers: it is finished, audited once (L7, E2)."""

import os
import signal

import pytest

from app.audiences import select_readers
from app.ledger import send_to_missing
from tests.crash.crew import Terms
from tests.crash.mailings import SENDS, Mailing
from tests.ledger.makers import joined

pytestmark = pytest.mark.anyio
TERMS = Terms(settings={"SEND_TIMEOUT": "30", "LEASE": "60", "TRUST_WINDOW": "300"})
_AUDITS = "select count(*) from job where account_id = :account and kind = 'audit_mailing'"


async def two_at(mailing: Mailing, kind: str, at: str) -> list[int]:
    """Two workers, each struck there with a batch of ten in hand; nothing else is left to do."""
    await mailing.strike(kind, "ledger", at, SENDS)
    await mailing.write_to(10)
    await mailing.struck()
    await mailing.strike(kind, "ledger", at, SENDS)
    await joined(mailing.web, mailing.audience, "late", 10)
    async with mailing.web.transaction(mailing.audience.account_id) as tx:
        mailing.readers += await send_to_missing(
            tx, mailing.id, select_readers(mailing.audience.newsletter_id)
        )
    return await mailing.struck(2)


async def test_both_wake_at_once_and_one_of_them_finishes_it(mailing: Mailing) -> None:
    """L7: whoever looks last sees nothing left, because it looks after its commit."""
    for pid in await two_at(mailing, "stop", "before_settle"):
        os.kill(pid, signal.SIGCONT)
    await mailing.each_has_one()
    assert await mailing.asked(_AUDITS, account=mailing.audience.account_id) == 1


async def test_both_die_before_they_look_and_the_sweep_finishes_it(mailing: Mailing) -> None:
    """E2, E11: nobody is left who would look after a commit of theirs."""
    for pid in await two_at(mailing, "kill", "after_settle"):
        await mailing.over(pid)
    await mailing.each_has_one()
