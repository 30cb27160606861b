"""The neutral row: what every format is read into, and all that the rest of imports knows."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

State = Literal["active", "unsubscribed", "pending", "suppressed", "none"]
Subscribed = Literal["active", "pending", "unsubscribed"]
Block = Literal["bounce", "complaint", "by_hand"]


@dataclass(frozen=True, slots=True)
class PaidFor:
    """What a reader may read by what they paid, or were given, where they come from."""

    plan: str
    """Its name there; ours is made under it if there is none."""
    reference: str
    """What the source calls it: the same again changes nothing."""
    reason: str = ""
    starts_at: datetime | None = None
    ends_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """One row of a file, ready to become a reader, or with the reason why it cannot.

    | problem | duplicate_of or left_out | counts as |
    |---|---|---|
    | None | no | created, updated or unchanged |
    | set | yes | skipped: the row it names has the same address, or the person is not to be brought |
    | set | no | failed |

    A skipped row adds nothing to the reader, with one exception: an address that any row of the file
    calls unsubscribed or suppressed is so in its first row (formats F2).
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
    """What the file says; `pending` where it says nothing, `none`: no part in this newsletter."""
    says_nothing: bool = False
    """Pending only because the file does not say: a statement for the whole file may lift it."""
    block: Block = "bounce"
    """Why a suppressed one is blocked."""
    tags: tuple[str, ...] = ()
    note: str = ""
    joined_at: datetime | None = None
    """Aware; None where the file has none, or none that can be read (then it is in `extra`)."""
    extra: dict[str, str] = field(default_factory=dict)
    """Every other column that is not blank, by its name: kept with the reader, never dropped."""
    paid: tuple[PaidFor, ...] = ()
    newsletters: dict[str, Subscribed] | None = None
    """Where they stand with each newsletter, by its slug; None: the file knows one only, told by `state`."""
    problem: str | None = None
    left_out: bool = False
    """Skipped on purpose, with `problem` for the reason."""
    duplicate_of: int | None = None
    """The number of the first row with this address."""
