"""Days that people give: of these years, which every zone, database and program takes."""

from datetime import date

FIRST_DAY, LAST_DAY = date(1990, 1, 1), date(2100, 12, 31)
"""Before there was mail in browsers nobody joined, and no plan is given for longer."""


def in_reach(day: date) -> bool:
    """Whether it is one of them."""
    return FIRST_DAY <= day <= LAST_DAY
