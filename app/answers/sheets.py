"""Cells of a CSV that somebody opens in a spreadsheet."""

import re

_FORMULA = re.compile("'*[=+\\-@\t\r]")


def guarded(cell: str) -> str:
    """With a `'` in front of what a spreadsheet would run, as whoever signed up with such a name may want.

    Taking one `'` off again gives the cell back, also where it had one itself.
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell
