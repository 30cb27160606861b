"""Many who ask at the same time share one statement, and each gets its own answer or failure."""

import asyncio
from collections.abc import Sequence

import pytest

from app.base.errors import Unavailable
from app.base.together import Together


async def test_who_comes_while_an_answer_is_under_way_shares_the_next() -> None:
    rounds: list[list[int]] = []
    gate = asyncio.Event()

    async def double(asked: Sequence[int]) -> Sequence[int]:
        rounds.append(list(asked))
        await gate.wait()
        return [2 * one for one in asked]

    together = Together(double, most=3)
    first = asyncio.create_task(together(1))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    others = [asyncio.create_task(together(n)) for n in range(2, 7)]
    await asyncio.sleep(0)
    gate.set()
    assert await asyncio.gather(first, *others) == [2, 4, 6, 8, 10, 12]
    assert rounds == [[1], [2, 3, 4], [5, 6]]
    assert await together(7) == 14


async def test_a_round_that_fails_is_repeated_one_by_one() -> None:
    async def picky(asked: Sequence[int]) -> Sequence[int]:
        if 3 in asked:
            raise ValueError(f"not {list(asked)}")
        return asked

    together = Together(picky)
    found = await asyncio.gather(*(together(n) for n in range(5)), return_exceptions=True)
    assert [one for one in found if not isinstance(one, ValueError)] == [0, 1, 2, 4]
    assert str(found[3]) == "not [3]"


async def test_when_a_part_is_away_it_is_so_for_all_and_asked_once() -> None:
    rounds: list[int] = []

    async def away(asked: Sequence[int]) -> Sequence[int]:
        rounds.append(len(asked))
        raise Unavailable("away")

    together = Together(away)
    found = await asyncio.gather(*(together(n) for n in range(5)), return_exceptions=True)
    assert [type(one) for one in found] == [Unavailable] * 5
    assert rounds == [5]


async def test_who_leaves_before_the_answer_hurts_nobody() -> None:
    gate = asyncio.Event()

    async def echo(asked: Sequence[int]) -> Sequence[int]:
        await gate.wait()
        return asked

    together = Together(echo)
    leaving, staying = asyncio.create_task(together(1)), asyncio.create_task(together(2))
    await asyncio.sleep(0)
    leaving.cancel()
    gate.set()
    assert await staying == 2
    with pytest.raises(asyncio.CancelledError):
        await leaving
