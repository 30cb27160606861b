"""When a handler is given up: E10."""

import asyncio

import pytest

from app.jobs.deadlines import Deadlines

LATE = 0.005


async def test_who_hangs_is_cut_off_and_hears_a_timeout() -> None:
    """The task goes on afterwards as if nothing had been: its cancellation is taken back."""
    one = Deadlines(LATE).within(0.01)
    with pytest.raises(TimeoutError), one:
        await asyncio.Event().wait()
    task = asyncio.current_task()
    assert one.over
    assert task is not None
    assert not task.cancelling()


async def test_who_ends_in_time_is_left_alone() -> None:
    """Also when the next look comes."""
    deadlines = Deadlines(LATE)
    with (one := deadlines.within(0.01)):
        pass
    with pytest.raises(TimeoutError), deadlines.within(0.02):
        await asyncio.Event().wait()
    assert not one.over


async def test_a_step_moves_the_end_of_its_own_handler_alone() -> None:
    deadlines, ended = Deadlines(LATE), list[str]()

    async def hang(name: str, moved: float) -> None:
        try:
            with deadlines.within(0.01) as one:
                one.move(moved)
                await asyncio.Event().wait()
        except TimeoutError:
            ended.append(name)

    await asyncio.gather(hang("moved", 0.1), hang("as it was", 0.01))
    assert ended == ["as it was", "moved"]


async def test_who_is_cancelled_from_outside_hears_that_and_no_timeout() -> None:
    async def hang() -> None:
        with Deadlines(LATE).within(60):
            await asyncio.Event().wait()

    task = asyncio.create_task(hang())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
