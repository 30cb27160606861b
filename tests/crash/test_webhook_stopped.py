"""A worker freezes beside the lease check of a webhook's call: no older release begins after a newer (E7)."""

import pytest

from tests.crash.telling import Telling

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("at", ["before_check", "after_check"])
async def test_frozen_beside_its_check_it_calls_nobody_after_a_newer_release_went(
    telling: Telling, at: str
) -> None:
    """E7, E3: before the check its lease is found lost; after it the time for the call is over."""
    await telling.strike("stop", "webhooks", at)
    await telling.announce(1)
    telling.first.start()
    await telling.struck()
    await telling.lease_for(300)
    telling.second.start()
    await telling.announce(2)
    await telling.made(2)
    await telling.lease_for(5)  # longer than the time for the call
    newer = await telling.becomes(2, "delivered")
    assert telling.sequences() == ["2"]
    telling.wake()
    older = await telling.late(1)
    assert telling.first.stop() == telling.second.stop() == 0
    assert telling.sequences() == ["2"]
    assert (older.line.state, older.line.superseded_by) == ("superseded", 2)
    assert [(one.outcome, one.late) for one in newer.attempts] == [("done", False)]


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
    assert telling.first.stop() == telling.second.stop() == 0
    assert telling.sequences() in (["1", "2"], ["2"])  # woken in time, or too late to begin
