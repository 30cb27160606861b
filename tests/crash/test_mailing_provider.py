"""The provider misbehaves while a worker dies with its answer in hand: everybody gets one (L1, L4, E6)."""

from collections import Counter

import pytest

from tests.crash.mailings import SENDS, Mailing

pytestmark = pytest.mark.anyio
READERS = 60


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("accept_then_drop", {}),
        ("accept_then_500", {}),
        ("rate_limited", {"delay": 0.5}),
        ("slow", {"delay": 1.0}),
        ("hang", {}),
        ("down", {}),
    ],
)
async def test_it_fails_twice_and_a_worker_dies_with_an_answer_in_hand(
    mailing: Mailing, kind: str, more: dict[str, float]
) -> None:
    """L1, L3, L4, E6: what is unknown is asked about, what is a no goes again, and nobody gets two."""
    await mailing.order("provider", kind, times=2, **more)
    await mailing.strike("kill", "ledger", "after_talk", SENDS)
    await mailing.write_to(READERS)
    [dead] = await mailing.struck()
    await mailing.over(dead)
    await mailing.each_has_one()
    fired = await mailing.asked("select fired from mailbox.fault where target = 'provider'")
    assert fired == 2


async def test_one_address_that_is_refused_fails_alone_also_when_its_worker_dies(mailing: Mailing) -> None:
    """L8: the others of its call are sent; the reason is on its row."""
    await mailing.order("provider", "refuse", match={"to": "r7@example.com"})
    await mailing.strike("kill", "ledger", "before_settle", SENDS)
    await mailing.write_to(20)
    [dead] = await mailing.struck()
    await mailing.over(dead)
    view = await mailing.audited()
    assert (view.figures.sent, view.figures.failed) == (19, 1)
    copies = await mailing.copies()
    assert Counter(copies.values()) == {1: 19}
    assert "r7@example.com" not in copies
    reason = await mailing.asked(
        "select reason from send where account_id = :account and state = 'failed'",
        account=mailing.audience.account_id,
    )
    assert reason.startswith("550")
