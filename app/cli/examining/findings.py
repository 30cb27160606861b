"""What was found, and what to do about it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Topic = Literal[
    "settings", "database", "rights", "row security", "redis", "clock", "work", "mail", "dns", "keys"
]
Level = Literal["well", "look", "wrong"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. `fix` is what to do, '' when there is nothing to do."""

    topic: Topic
    level: Level
    said: str
    fix: str = ""


def well(topic: Topic, said: str) -> Finding:
    """As it should be."""
    return Finding(topic, "well", said)


def look(topic: Topic, said: str, fix: str) -> Finding:
    """It works, and somebody should look at it."""
    return Finding(topic, "look", said, fix)


def wrong(topic: Topic, said: str, fix: str) -> Finding:
    """Something does not work, or is not safe."""
    return Finding(topic, "wrong", said, fix)


def all_well(found: Iterable[Finding]) -> bool:
    """Whether nothing is wrong; what should be looked at is no wrong."""
    return all(one.level != "wrong" for one in found)
