"""The health of a webhook as a picture: what was taken and what failed, hour by hour."""

from dataclasses import dataclass

from app.webhooks.queries import Bucket

#: The picture is so wide, its line so far from the top, and so tall below it; in the units of its viewBox.
WIDTH, LINE, BELOW = 720, 58.0, 34.0


@dataclass(frozen=True)
class Bar:
    """One hour: where it stands, how wide it is, how high above the line and how far below it."""

    x: float
    width: float
    delivered: float
    failed: float


@dataclass(frozen=True)
class Health:
    """What templates/webhooks/_health.html shows; the hours oldest first, empty ones too."""

    buckets: tuple[Bucket, ...]

    @property
    def hours(self) -> int:
        """How many."""
        return len(self.buckets)

    @property
    def delivered(self) -> int:
        """Calls that were taken in all."""
        return sum(one.delivered for one in self.buckets)

    @property
    def failed(self) -> int:
        """Calls that failed in all."""
        return sum(one.failed for one in self.buckets)

    @property
    def total(self) -> int:
        """Calls in all."""
        return self.delivered + self.failed

    @property
    def bars(self) -> tuple[Bar, ...]:
        """A bar an hour, the tallest as tall as there is room; what is not nothing is seen."""
        slot = (WIDTH - 8) / max(1, self.hours)
        most = max((max(one.delivered, one.failed) for one in self.buckets), default=0)
        return tuple(
            Bar(
                x=4 + slot * place + slot * 0.15,
                width=slot * 0.7,
                delivered=_tall(one.delivered, most, LINE - 4),
                failed=_tall(one.failed, most, BELOW - 4),
            )
            for place, one in enumerate(self.buckets)
        )


def _tall(count: int, most: int, room: float) -> float:
    return max(2.0, room * count / most) if count else 0.0
