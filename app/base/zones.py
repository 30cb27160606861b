"""Wall times and instants, by the time zone data that Godwit brings along.

What somebody asks for is a wall time in a zone. It becomes an instant once, when it is asked for, and the
instant is what is stored and waited for: no later look at a clock, a browser or a zone changes it.

The machine's own zone data is not read: it may be years old, and two machines may differ.
"""

import zoneinfo
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

import tzdata

__all__ = ["VERSION", "Moment", "Passage", "ZoneInfo", "moment_at", "moment_of"]

zoneinfo.reset_tzpath(to=())  # from here on ZoneInfo finds the package alone

VERSION: str = tzdata.IANA_VERSION

Passage = Literal["plain", "skipped", "twice"]


@dataclass(frozen=True)
class Moment:
    """An instant and the wall time that it is in `zone`, without an offset.

    `passage`: `skipped` when the wall time that was asked for does not exist there, because the clocks go
    forward over it: it is moved forward by as much as they are. `twice` when it comes twice, because they go
    back: it is the first of the two.
    """

    at: datetime
    wall: datetime
    zone: str
    passage: Passage = "plain"

    @property
    def offset(self) -> timedelta:
        """How far ahead of UTC the wall clocks are then."""
        return self.wall.replace(tzinfo=UTC) - self.at


def moment_of(wall: datetime, zone: str) -> Moment:
    """The instant at which it is `wall` (naive) in `zone` (IANA). OverflowError at the ends of time."""
    there = wall.replace(tzinfo=ZoneInfo(zone), fold=0)
    at = there.astimezone(UTC)
    found = moment_at(at, zone)
    if found.wall != wall:
        return Moment(at, found.wall, zone, "skipped")
    again = there.replace(fold=1).utcoffset() != there.utcoffset()
    return Moment(at, wall, zone, "twice" if again else "plain")


def moment_at(at: datetime, zone: str) -> Moment:
    """The wall time in `zone` at an instant."""
    return Moment(at.astimezone(UTC), at.astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0), zone)
