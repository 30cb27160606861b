"""Waiting for a condition, never for a time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


async def until(ask: Callable[[], Awaitable[T | None]], *, seconds: float = 30) -> T:
    """Ask until the answer is true-ish, and answer it; fails when it never is."""
    deadline = time.monotonic() + seconds
    while not (found := await ask()):
        assert time.monotonic() < deadline, "it never came true"
        await asyncio.sleep(0.02)
    return found
