"""Faults to order: what is to go wrong at the provider, at which calls, how often."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.base.database import Tx
from app.base.errors import Invalid, NotFound, Problem
from app.mail import FAULT_KINDS
from app.testing.questions import address, number

TARGETS = ("provider",)
OPTIONS = ("target", "kind", "match", "after", "times", "delay")
#: Seconds of a `slow` fault that names none.
DELAY = 0.3

_COLUMNS = "id, kind, match_to, after, times, delay, seen, fired"
_INSERT = f"""
insert into mailbox.fault (kind, match_to, after, times, delay)
values (:kind, :match_to, :after, :times, :delay) returning {_COLUMNS}
"""
_ALL = f"select {_COLUMNS} from mailbox.fault order by id"
_FORGET = "delete from mailbox.fault where cast(:id as bigint) is null or id = :id"


@dataclass(frozen=True)
class Order:
    """A fault as ordered: it fires at matching calls once `after` passed, `times` times (None: always)."""

    kind: str
    match_to: str | None
    after: int
    times: int | None
    delay: float


def order_of(given: Mapping[str, Any]) -> Order:
    """Read an order. Raises Invalid with every kind and target there is when one is unknown."""
    problems: list[Problem] = []
    if given.get("target") not in TARGETS:
        problems.append(Problem("target", f"The targets there are: {', '.join(TARGETS)}."))
    if given.get("kind") not in FAULT_KINDS:
        problems.append(Problem("kind", f"The kinds there are: {', '.join(FAULT_KINDS)}."))
    match = given.get("match")
    match = {} if match is None else match
    if not isinstance(match, dict) or set(match) - {"to"} or not isinstance(match.get("to", ""), str):
        problems.append(
            Problem("match", 'A fault matches {"to": "anna@example.org"}, or every call without.')
        )
        match = {}
    if problems:
        raise Invalid(problems)
    times = number(given, "times", None, least=1, most=1_000_000, whole=True)
    return Order(
        kind=given["kind"],
        match_to=address(match.get("to"), "match.to") or None,
        after=int(number(given, "after", 0, least=0, most=1_000_000, whole=True) or 0),
        times=None if times is None else int(times),
        delay=number(given, "delay", DELAY, least=0, most=600) or 0.0,
    )


async def add_fault(tx: Tx, order: Order) -> dict[str, Any]:
    """Let it go wrong from now on."""
    row = await tx.row(
        _INSERT,
        kind=order.kind,
        match_to=order.match_to,
        after=order.after,
        times=order.times,
        delay=order.delay,
    )
    return _json(row)


async def faults(tx: Tx) -> list[dict[str, Any]]:
    """Every fault ordered, with how often it fired."""
    return [_json(row) for row in await tx.rows(_ALL)]


async def forget_faults(tx: Tx, fault_id: str | None = None) -> int:
    """Take back one fault, or all. Raises NotFound for one that was never ordered."""
    number = int(fault_id) if fault_id and fault_id.isascii() and fault_id.isdigit() else -1
    gone = await tx.execute(_FORGET, id=None if fault_id is None else min(number, 2**62))
    if fault_id is not None and not gone:
        raise NotFound(f"There is no fault {fault_id}.")
    return gone


def _json(row: Any) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "target": "provider",
        "kind": row.kind,
        "match": {"to": row.match_to} if row.match_to else {},
        "after": row.after,
        "times": row.times,
        "delay": round(row.delay, 6),
        "seen": row.seen,
        "fired": row.fired,
    }
