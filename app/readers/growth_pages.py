"""The studio's page of growth and sources: a line of readers by week, and the figures behind it."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from litestar import Response, get

from app.accounts import Desk
from app.answers import page
from app.readers.growth import Origin, Week, growth, origins

#: The picture's size, in its own units.
WIDTH, HEIGHT, EDGE = 720, 220, 12
#: Origins that are told one by one; the rest are in the table of readers.
MOST = 50


@dataclass(frozen=True)
class Bar:
    """One week of the lower picture: who joined stands up, who left hangs down."""

    x: float
    joined: float
    left: float
    week: Week


@dataclass(frozen=True)
class GrowthPage:
    """The weeks with their picture, and where readers came from."""

    url: str
    weeks: tuple[Week, ...]
    origins: tuple[Origin, ...]

    @property
    def first(self) -> Week:
        return self.weeks[0]

    @property
    def last(self) -> Week:
        return self.weeks[-1]

    @property
    def joined(self) -> int:
        return sum(week.joined for week in self.weeks)

    @property
    def left(self) -> int:
        return sum(week.left for week in self.weeks)

    @property
    def line(self) -> str:
        """The points of the line, from the lowest to the highest total; half way up when nothing changed."""
        totals = [week.total for week in self.weeks]
        low, reach = min(totals), max(totals) - min(totals)
        if not reach:
            low, reach = low - 1, 2
        return " ".join(
            f"{self._x(place):.1f},{HEIGHT - EDGE - (total - low) / reach * (HEIGHT - 2 * EDGE):.1f}"
            for place, total in enumerate(totals)
        )

    @property
    def bars(self) -> list[Bar]:
        """The weeks of the lower picture, by the busiest of them; 40 units up and 40 down."""
        most = max(1, *(max(week.joined, week.left) for week in self.weeks))
        return [
            Bar(self._x(place), week.joined / most * 40, week.left / most * 40, week)
            for place, week in enumerate(self.weeks)
        ]

    def _x(self, place: int) -> float:
        return EDGE + place * (WIDTH - 2 * EDGE) / max(len(self.weeks) - 1, 1)

    def listed(self, origin: Origin) -> str:
        """The address of the list of these readers."""
        asked = {"source": origin.source, "form": origin.form, "from": self.first.monday.isoformat()}
        return f"{self.url}?{urlencode({name: text for name, text in asked.items() if text})}"


@get("/readers/growth", name="studio.growth")
async def show_growth(desk: Desk) -> Response[str]:
    """Half a year of readers."""
    async with desk.transaction() as tx:
        weeks, found = await growth(tx), await origins(tx)
    shown = GrowthPage(desk.url("readers"), tuple(weeks), tuple(found[:MOST]))
    return page("readers/growth.html", shell=desk.shell("readers"), page=shown)


HANDLERS: tuple[Any, ...] = (show_growth,)
