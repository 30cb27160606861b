"""A time to come, in words: the wall time with its zone, UTC, and what a change of the clocks does to it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from app.base.zones import Moment


@dataclass(frozen=True)
class When:
    """One instant: `words` in its zone, `utc` ('' when that zone is UTC).

    `passage` is a sentence when the clocks change over it, else ''.
    """

    at: datetime
    words: str
    utc: str
    passage: str


def when(moment: Moment) -> When:
    """Everything that is said of it, from the one instant."""
    wall, at = moment.wall, moment.at
    utc_day = "" if at.date() == wall.date() else f"{at.day} {at:%B} at "
    return When(
        at,
        f"{wall.day} {wall:%B %Y} at {wall:%H:%M}, {_zone(moment)}",
        "" if moment.zone == "UTC" else f"{utc_day}{at:%H:%M} UTC",
        _passage(moment),
    )


def _passage(moment: Moment) -> str:
    match moment.passage:
        case "skipped":
            return f"The clocks go forward over the time you gave, so it is {moment.wall:%H:%M}."
        case "twice":
            return f"The clocks go back, so {moment.wall:%H:%M} comes twice: it is the first."
        case _:
            return ""


def _zone(moment: Moment) -> str:
    return "UTC" if moment.zone == "UTC" else f"{moment.zone} (UTC{_offset(moment.offset)})"


def _offset(offset: timedelta) -> str:
    minutes = round(offset.total_seconds() / 60)
    sign = "−" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
