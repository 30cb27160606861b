"""Asked at the same time, answered together: many small questions to the database become one statement.

The first who asks is answered at once; who comes while an answer is under way waits for the next round, which
takes all of them. So nobody waits when it is quiet, and the busier it is the more share a statement.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from app.base.errors import Unavailable

T = TypeVar("T")
R = TypeVar("R")


class Together(Generic[T, R]):
    """`ask` answers a list of questions with as many answers, in the same order.

    A round that fails is repeated one by one, so that each is told its own failure; a part that is away is
    away for all of them, and nobody waits for it once more.
    """

    def __init__(self, ask: Callable[[Sequence[T]], Awaitable[Sequence[R]]], *, most: int = 200) -> None:
        self._ask = ask
        self._most = most
        self._waiting: list[tuple[T, asyncio.Future[R]]] = []
        self._round: asyncio.Task[None] | None = None

    async def __call__(self, question: T) -> R:
        """The answer to this one. Raises what `ask` raises."""
        answer: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, answer))
        if self._round is None:
            self._round = asyncio.create_task(self._rounds())
        return await answer

    async def _rounds(self) -> None:
        try:
            while self._waiting:
                asked, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
                try:
                    await self._answer(asked)
                except Exception as error:
                    if len(asked) == 1 or isinstance(error, Unavailable | OSError | TimeoutError):
                        _fail(asked, error)
                        continue
                    for one in asked:
                        try:
                            await self._answer([one])
                        except Exception as its_own:
                            _fail([one], its_own)
        finally:
            self._round = None
            for _, answer in self._waiting:  # cut off, as at the end of a process
                answer.cancel()
            self._waiting = []

    async def _answer(self, asked: Sequence[tuple[T, asyncio.Future[R]]]) -> None:
        answers = await self._ask([question for question, _ in asked])
        for (_, waiting), answer in zip(asked, answers, strict=True):
            if not waiting.done():
                waiting.set_result(answer)


def _fail(asked: Sequence[tuple[T, "asyncio.Future[R]"]], error: Exception) -> None:
    for _, waiting in asked:
        if not waiting.done():
            waiting.set_exception(error)
