"""The rows that were not taken, as a CSV to open in a spreadsheet."""

import csv
import io
from collections.abc import Iterable

from app.answers import guarded
from app.imports.queries import Loss, RowProblem


def row_report(problems: Iterable[RowProblem]) -> bytes:
    """UTF-8 with the mark that Excel wants; no cell can be run as a formula."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(("row", "line", "outcome", "reason"))
    for one in problems:
        writer.writerow((one.row, one.line, one.outcome, guarded(one.reason)))
    return out.getvalue().encode("utf-8-sig")


def loss_report(losses: Iterable[Loss]) -> bytes:
    """The same of what did not survive of posts."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(("post", "what"))
    writer.writerows((guarded(one.thing), guarded(one.what)) for one in losses)
    return out.getvalue().encode("utf-8-sig")
