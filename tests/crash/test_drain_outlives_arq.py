"""Work that takes longer than arq lets a job take: the bell only wakes, and cuts nobody short (E2, E10)."""

from tests.crash.yard import Yard

_LONGER = """
select count(*) = 2 from job
where state = 'leased' and clock_timestamp() > leased_at + interval '1 second'
"""


async def test_what_takes_ten_times_as_long_as_arq_allows_is_done_once(yard: Yard) -> None:
    """E2: rung again and again meanwhile; nothing is cancelled, repeated or left."""
    hand = yard.hire(module="tests.crash.hasty_ears", GODWIT_SWEEP="600")
    await hand.says("worker_started")
    await yard.notes("long-0", "long-1", gated=True)
    await yard.wrote("begin long-0")
    await yard.wrote("begin long-1")
    await yard.notes("after-0", "after-1", "after-2")
    await yard.becomes(_LONGER)
    yard.gate.touch()
    await yard.quiet()
    assert await hand.stop() == 0
    told = await yard.books()
    assert [(one.outcomes, len(one.began)) for one in told.values()] == [(["done"], 1)] * 5
