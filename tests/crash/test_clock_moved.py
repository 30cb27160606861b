"""The clock that people see is moved far ahead and far back while work is in hand (E3, E8)."""

from tests.crash.yard import Yard

_AHEAD = "update clock set ahead = ahead + interval '{}'"
_HELD = "select count(*) from job where state = 'leased' and args->>'word' like 'held-%'"
_RUNS = "select count(*) = :n and bool_and(state = 'done') from job where kind = 'prune_jobs'"


async def test_leases_keep_the_real_time_and_nothing_is_taken_from_who_holds_it(yard: Yard) -> None:
    """E3, E4: three days ahead, two days back, ahead again: two jobs in hand are done once."""
    first = yard.hire(GODWIT_SWEEP="0.1")
    await yard.notes("held-0", "held-1", gated=True)
    await yard.wrote("begin held-0")
    await yard.wrote("begin held-1")
    second = yard.hire(GODWIT_SWEEP="0.1")
    for number, move in enumerate(("3 days", "-2 days", "1 day")):
        await yard.shall(_AHEAD.format(move))
        await yard.notes(f"made-{number}")
        await yard.wrote(f"end made-{number}")
        assert await yard.asked(_HELD) == 2
    yard.gate.touch()
    await yard.quiet()
    assert await first.stop() == await second.stop() == 0
    told = await yard.books()
    assert {(tuple(one.outcomes), len(one.began)) for one in told.values()} == {(("done",), 1)}


async def test_a_slot_that_comes_again_runs_once(yard: Yard) -> None:
    """E8: an hour ahead, back, and two ahead: what two workers saw twice was made once."""
    hands = [yard.hire("housekeeping", module="workers", GODWIT_SWEEP="0.05") for _ in range(2)]
    for hand in hands:
        await hand.says("worker_started")
    await yard.becomes(_RUNS, n=1)
    await yard.shall(_AHEAD.format("1 hour"))
    await yard.becomes(_RUNS, n=2)
    await yard.shall(_AHEAD.format("-1 hour"))
    looked = await yard.asked("select pg_current_xact_id()::text::bigint + 20")  # by then both looked again
    await yard.becomes("select pg_current_xact_id()::text::bigint > :looked", looked=looked)
    await yard.shall(_AHEAD.format("2 hours"))
    await yard.becomes(_RUNS, n=3)
    assert [await hand.stop() for hand in hands] == [0, 0]
    assert await yard.asked(_RUNS, n=3)
