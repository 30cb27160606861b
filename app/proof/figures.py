"""A figure beside its target, what it is measured with, and the machine it was measured on."""

import os
import platform
import statistics
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_CPU = Path("/proc/cpuinfo")


@dataclass(frozen=True)
class Figure:
    """Seconds that something took, each time. `target` is the most that was promised; None: beside others.

    `failed`: how many of it were refused or lost. A target is met by what did its work alone.
    """

    what: str
    seconds: tuple[float, ...]
    target: float | None
    meanwhile: str
    failed: int = 0

    @property
    def median(self) -> float:
        """What is told and compared."""
        return statistics.median(self.seconds)

    @property
    def worst(self) -> float:
        """The longest of all times."""
        return max(self.seconds)

    @property
    def met(self) -> bool:
        """Whether the median is under the target, and nothing failed."""
        return self.target is None or (self.median < self.target and not self.failed)


@dataclass(frozen=True)
class Rate:
    """How many a second, each time. `target` is the least that was promised; None: beside the others.

    `failed`: as a Figure's.
    """

    what: str
    per_second: tuple[float, ...]
    target: float | None
    meanwhile: str
    failed: int = 0

    @property
    def median(self) -> float:
        """What is told and compared."""
        return statistics.median(self.per_second)

    @property
    def worst(self) -> float:
        """The fewest of all times."""
        return min(self.per_second)

    @property
    def met(self) -> bool:
        """Whether the median reaches the target, and nothing failed."""
        return self.target is None or (self.median >= self.target and not self.failed)


@dataclass(frozen=True)
class Memory:
    """Megabytes that a process had, each time. `target` is the most that was promised."""

    what: str
    megabytes: tuple[float, ...]
    target: float | None
    meanwhile: str
    failed: int = 0

    @property
    def median(self) -> float:
        """What is told and compared."""
        return statistics.median(self.megabytes)

    @property
    def worst(self) -> float:
        """The most of all times."""
        return max(self.megabytes)

    @property
    def met(self) -> bool:
        """Whether the median is under the target."""
        return self.target is None or self.median < self.target


@dataclass(frozen=True)
class Scale:
    """How much of everything: readers of the large account and of each small one, jobs, times.

    `accounts` write and publish, for so many `seconds` at a time or until `requests` were made (0: seconds).
    A transaction is held open for so many `minutes` while jobs pass.
    """

    large: int = 20_000
    small: int = 500
    jobs: int = 200_000
    mailings: int = 3
    codes: int = 50
    posts: int = 12_000
    times: int = 3
    accounts: int = 64
    requests: int = 0
    seconds: float = 15.0
    deliveries: int = 20_000
    minutes: float = 1.0


@dataclass(frozen=True)
class Part:
    """One measurement, and `what` it is called. `settings` differ from those shipped.

    `workers` are the queues of each worker started; None stands for all, as `godwit worker` has them.
    `heeds`: the amounts of the scale that it goes by.
    """

    what: str
    settings: Mapping[str, str]
    workers: tuple[str | None, ...]
    measure: Callable[[Scale], Coroutine[Any, Any, Figure | Sequence[Figure | Rate | Memory]]]
    heeds: tuple[str, ...]


def machine() -> dict[str, str | int]:
    """What it was measured on."""
    return {"cpu": _cpu(), "cores": len(os.sched_getaffinity(0)), "python": platform.python_version()}


def _cpu() -> str:
    try:
        lines = _CPU.read_text().splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())
