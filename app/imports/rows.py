"""The neutral row: what every format is read into, and all that the rest of imports knows."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

State = Literal["active", "unsubscribed", "pending", "suppressed"]


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """One row of a file, ready to become a reader, or with the reason why it cannot.

    | problem | duplicate_of | counts as |
    |---|---|---|
    | None | None | created, updated or unchanged |
    | set | set | skipped: the row it names has the same address |
    | set | None | failed |

    A skipped row adds nothing to the reader, with one exception that its `state` is there for:
    an address that any row calls unsubscribed or suppressed must not stay active.
    """

    number: int
    """Its place among the file's rows, from 1: what a person is told."""
    line: int
    """The line of the file on which it begins."""
    email: str
    """Canonical; empty where the row failed."""
    written: str
    """The address as the file has it, for the report of rows."""
    name: str
    """On one line, as written; empty if there is none."""
    state: State
    """What the file says; `pending` where it says nothing. A failed row has no say."""
    tags: tuple[str, ...] = ()
    note: str = ""
    joined_at: datetime | None = None
    """Aware; None where the file has none, or none that can be read (then it is in `extra`)."""
    extra: dict[str, str] = field(default_factory=dict)
    """Every other column that is not blank, by its name: kept with the reader, never dropped."""
    problem: str | None = None
    duplicate_of: int | None = None
    """The number of the first row with this address."""
