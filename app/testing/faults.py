"""Faults to order: what is to go wrong, where, at which calls, how often."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from app.base import failpoints
from app.base.database import Database, Tx
from app.base.errors import Invalid, NotFound, Problem
from app.base.settings import settings
from app.jobs import registered_kinds
from app.mail import FAULT_KINDS
from app.testing.questions import address, number
from app.testing.receivers import FAULT_KINDS as AT_RECEIVERS

#: What may go wrong where. The provider fails at calls, a receiver of webhooks when it is called, a worker at
#: failpoints, connections at once.
TARGETS = {
    "provider": FAULT_KINDS,
    "endpoint": AT_RECEIVERS,
    "worker": failpoints.KINDS,
    "database": ("cut",),
}
LATER = {"redis": "a later part"}
OPTIONS = ("target", "kind", "match", "after", "times", "delay", "at")
_MATCHES = {"provider": ("to",), "endpoint": ("endpoint",), "worker": ("in", "job"), "database": ()}
#: Those that go wrong at calls, for ever unless told.
_AT_CALLS = ("provider", "endpoint")
#: Seconds of a `slow` fault that names none, and those that a `rate_limited` one asks callers to wait.
DELAYS = {"slow": 0.3, "rate_limited": 1.0}

_ORDERED = "target, kind, match_to, match_endpoint, match_in, match_job, at, after, times, delay"
_COLUMNS = f"id, {_ORDERED}, seen, fired, pid"
_INSERT = f"""
insert into mailbox.fault (account_id, {_ORDERED})
values (:account, :target, :kind, :match_to, :match_endpoint, :match_in, :match_job, :at, :after, :times,
        :delay)
returning {_COLUMNS}
"""
_RECEIVER = "select mailbox.receiver_of(:named)"
_FIRED = f"update mailbox.fault set seen = 1, fired = 1 where id = :id returning {_COLUMNS}"
_OF = "(cast(:account as bigint) is null or account_id = :account)"
_ALL = f"select {_COLUMNS} from mailbox.fault where {_OF} order by id"
_FORGET = f"delete from mailbox.fault where {_OF} and (cast(:id as bigint) is null or id = :id)"
_CUT = """
select count(pg_terminate_backend(pid)) from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid()
  and application_name in ('godwit_web', 'godwit_worker', 'godwit_operator', 'godwit mailbox')
"""


@dataclass(frozen=True)
class Order:
    """A fault as ordered: it fires at matching calls once `after` passed, `times` times (None: always).

    `at` is the failpoint of a worker's fault, `match_in` the book in which, `match_job` the kind of job;
    `match_endpoint` the id of an endpoint or of a receiver.
    """

    target: str
    kind: str
    match_to: str | None
    match_endpoint: str | None
    match_in: str | None
    match_job: str | None
    at: str | None
    after: int
    times: int | None
    delay: float


def order_of(given: Mapping[str, Any]) -> Order:
    """Read an order. Raises Invalid with every kind and target there is when one is unknown."""
    given = {name: value for name, value in given.items() if value is not None}
    target, kind = given.get("target"), given.get("kind")
    problems = _unknown(target, kind)
    match = given.get("match", {})
    if isinstance(target, str) and target in TARGETS:
        problems += _unmatched(target, match) + _misplaced(target, given)
    if not problems and kind not in DELAYS and "delay" in given:
        problems.append(Problem("delay", f"A delay belongs to {' and '.join(DELAYS)}."))
    if problems:
        raise Invalid(problems)
    # A worker that is struck each time it starts does nothing at all: once, unless told.
    times = number(given, "times", None if target in _AT_CALLS else 1, least=1, most=1_000_000, whole=True)
    return Order(
        target=str(target),
        kind=str(kind),
        match_to=address(match.get("to"), "match.to") or None,
        match_endpoint=match.get("endpoint"),
        match_in=match.get("in"),
        match_job=match.get("job"),
        at=given.get("at"),
        after=int(number(given, "after", 0, least=0, most=1_000_000, whole=True) or 0),
        times=None if times is None else int(times),
        delay=number(given, "delay", DELAYS.get(str(kind), 0), least=0, most=600) or 0.0,
    )


async def add_fault(tx: Tx, order: Order, account_id: int | None = None) -> dict[str, Any]:
    """Let it go wrong from now on, for an account's tests. Raises Invalid when it could strike nobody."""
    told = vars(order) | {"account": account_id}
    if named := order.match_endpoint:
        told = told | {"match_endpoint": await tx.value(_RECEIVER, named=named)}
        if told["match_endpoint"] is None:
            words = (
                f"{named!r} is no receiver, nor a webhook to one; they are made by POST /testing/receivers."
            )
            raise Invalid([Problem("match", words)])
    row = await tx.row(_INSERT, **told)
    assert row is not None
    return _json(row)


async def cut_connections() -> int:
    """Cut every connection of web and workers to the database; answers how many there were.

    As the log-in of DATABASE_URL: no runtime role may. Outside testing mode nobody calls this.
    """
    owner_url = settings().database.owner_url
    database = Database(owner_url, urlsplit(owner_url).username or "", pooled=False)
    try:
        async with database.transaction() as tx:
            return int(await tx.value(_CUT))
    finally:
        await database.close()


async def note_fired(tx: Tx, fault_id: str) -> dict[str, Any]:
    """A fault that happens at once has happened."""
    row = await tx.row(_FIRED, id=int(fault_id))
    assert row is not None
    return _json(row)


async def faults(tx: Tx, account_id: int | None = None) -> list[dict[str, Any]]:
    """Every fault that an account ordered (None: anybody), with how often it fired."""
    return [_json(row) for row in await tx.rows(_ALL, account=account_id)]


async def forget_faults(tx: Tx, fault_id: str | None = None, account_id: int | None = None) -> int:
    """Take back one fault, or all of an account (None: of everybody). Raises NotFound for one that was never
    ordered."""
    number = int(fault_id) if fault_id and fault_id.isascii() and fault_id.isdigit() else -1
    gone = await tx.execute(_FORGET, account=account_id, id=None if fault_id is None else min(number, 2**62))
    if fault_id is not None and not gone:
        raise NotFound(f"There is no fault {fault_id}.")
    return gone


def _unknown(target: Any, kind: Any) -> list[Problem]:
    if isinstance(target, str) and target in LATER:
        return [
            Problem("target", f"Faults of {target} come with {LATER[target]}; there are {_listed(TARGETS)}.")
        ]
    problems: list[Problem] = []
    known = isinstance(target, str) and target in TARGETS
    if not known:
        problems.append(Problem("target", f"The targets there are: {_listed(TARGETS)}."))
    if not isinstance(kind, str) or kind not in TARGETS[target if known else "provider"]:
        kinds = "; ".join(f"{name}: {_listed(kinds)}" for name, kinds in TARGETS.items())
        problems.append(Problem("kind", f"The kinds there are: {kinds}."))
    return problems


def _unmatched(target: str, match: Any) -> list[Problem]:
    known = _MATCHES[target]
    if isinstance(match, dict) and set(match) <= set(known):
        wrong = [name for name, value in match.items() if not isinstance(value, str)]
        if not wrong and match.get("in", failpoints.PLACES[0]) in failpoints.PLACES:
            return _unknown_job(match)
    words = {
        "provider": 'A fault matches {"to": "anna@example.org"}, or every call without.',
        "endpoint": 'A fault matches {"endpoint": "…"}, the id of a webhook or receiver, or every receiver.',
        "worker": 'A fault matches {"in": "jobs", "job": "build_broadcast"} (in: '
        f"{_listed(failpoints.PLACES)}).",
        "database": "A cut happens at once, to every connection; there is nothing to match.",
    }
    return [Problem("match", words[target])]


def _unknown_job(match: Mapping[str, str]) -> list[Problem]:
    kinds = [kind.name for kind in registered_kinds()]
    if match.get("job", kinds[0]) in kinds:
        return []
    return [Problem("match", f"The kinds of job there are: {', '.join(kinds)}.")]


def _misplaced(target: str, given: Mapping[str, Any]) -> list[Problem]:
    if target == "worker":
        if given.get("at") in failpoints.POINTS:
            return []
        return [Problem("at", f"A worker is struck at one of {_listed(failpoints.POINTS)}.")]
    names = ("at",) if target in _AT_CALLS else ("at", "after", "times")
    return [
        Problem(name, f"{name} does not belong to a fault of {target}.") for name in names if name in given
    ]


def _listed(names: Mapping[str, Any] | tuple[str, ...]) -> str:
    return ", ".join(names)


def _json(row: Any) -> dict[str, Any]:
    match = {
        "to": row.match_to,
        "endpoint": row.match_endpoint,
        "in": row.match_in,
        "job": row.match_job,
    }
    struck = {"at": row.at, "pid": row.pid} if row.target == "worker" else {}
    return {
        "id": str(row.id),
        "target": row.target,
        "kind": row.kind,
        "match": {name: value for name, value in match.items() if value},
        "after": row.after,
        "times": row.times,
        "delay": round(row.delay, 6),
        "seen": row.seen,
        "fired": row.fired,
        **struck,
    }
