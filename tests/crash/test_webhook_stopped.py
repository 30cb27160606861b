"""A worker freezes beside the lease check of a webhook's call: no older release begins after a newer (E7)."""

import pytest

from app.webhooks import WholeDelivery
from tests.crash.telling import Telling

pytestmark = pytest.mark.anyio


async def frozen_while_a_newer_goes(telling: Telling, at: str, lease: float) -> WholeDelivery:
    """Release 1 freezes there; its lease runs out after `lease` seconds, and release 2 is delivered."""
    await telling.strike("stop", "webhooks", at)
    await telling.announce(1)
    telling.first.start()
    await telling.struck()
    await telling.lease_for(300)
    telling.second.start()
    await telling.announce(2)
    await telling.made(2)
    await telling.lease_for(lease)
    newer = await telling.becomes(2, "delivered")
    assert telling.sequences() == ["2"]
    return newer


async def woken_it_called_nobody(telling: Telling, newer: WholeDelivery) -> None:
    """It goes on where it froze; what it brings is late, and dropped."""
    telling.wake()
    older = await telling.late(1)
    assert await telling.first.stop() == await telling.second.stop() == 0
    assert telling.sequences() == ["2"]
    assert (older.line.state, older.line.superseded_by) == ("superseded", 2)
    assert [(one.outcome, one.late) for one in newer.attempts] == [("done", False)]


async def test_frozen_before_its_check_it_finds_its_lease_lost(
    telling: Telling, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E7, E3: there is time enough left for the call, and the lease alone forbids it."""
    monkeypatch.setenv("GODWIT_WEBHOOK_TIMEOUT", "120")
    monkeypatch.setenv("GODWIT_LEASE", "130")
    newer = await frozen_while_a_newer_goes(telling, "before_check", lease=0)
    await woken_it_called_nobody(telling, newer)


async def test_frozen_after_its_check_it_finds_the_time_for_its_call_over(telling: Telling) -> None:
    """E7: the lease was good when it looked, and outlives every call that it permits."""
    newer = await frozen_while_a_newer_goes(telling, "after_check", lease=5)
    await woken_it_called_nobody(telling, newer)


async def test_frozen_for_a_moment_it_goes_on_and_the_newer_comes_after_it(telling: Telling) -> None:
    """E7: while its lease is good the lane is its own; both come, in their order."""
    await telling.strike("stop", "webhooks", "after_check")
    await telling.announce(1)
    telling.first.start()
    await telling.struck()
    await telling.lease_for(60)
    telling.second.start()
    await telling.announce(2)
    await telling.made(2)
    assert telling.sequences() == []
    telling.wake()
    await telling.becomes(2, "delivered")
    assert await telling.first.stop() == await telling.second.stop() == 0
    assert telling.sequences() in (["1", "2"], ["2"])  # woken in time, or too late to begin
