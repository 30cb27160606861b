"""What a check answers, and what checks share: rows by what they belong to, and words for them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from app.proof.chaos.asking import Entry
from app.proof.chaos.books import AttemptRow, Books, DeliveryRow, Logs
from app.proof.chaos.receiver import Heard

#: Seconds by which two times of one machine may be apart.
APART = 0.05
#: How many rows a finding names.
NAMED = 10
Row = TypeVar("Row")


@dataclass(frozen=True)
class Finding:
    """A promise that did not hold: the sentence of how, and the rows that show it."""

    promise: str
    sentence: str
    rows: list[str] = field(default_factory=list[str])


def tries_of(books: Books) -> dict[int, list[AttemptRow]]:
    found = defaultdict[int, list[AttemptRow]](list)
    for one in books.attempts:
        found[one.job].append(one)
    return found


def deliveries_of(books: Books) -> dict[tuple[str, str], list[DeliveryRow]]:
    ids = {(one.account, one.id): one.webhook_id for one in books.events}
    found = defaultdict[tuple[str, str], list[DeliveryRow]](list)
    for one in books.deliveries:
        if (one.account, one.event) in ids:
            found[ids[one.account, one.event], one.path].append(one)
    return found


def acts_of(logs: Logs, *acts: str) -> list[Entry]:
    return [entry for entry in logs.diary if entry.act in acts]


def id_of(call: Heard) -> str:
    return call.headers.get("webhook-id", "")


def words_of(call: Heard) -> str:
    numbers = [call.headers.get(name, "-") for name in ("godwit-sequence", "godwit-attempt")]
    return f"{call.path} {id_of(call)} number {numbers[0]} try {numbers[1]} at {call.at:.3f}"


def found_in(promise: str, sentence: str, rows: Iterable[Row]) -> list[Finding]:
    wrong: Sequence[Row] = list(rows)
    if not wrong:
        return []
    return [Finding(promise, f"{len(wrong)}: {sentence}", [str(one) for one in wrong[:NAMED]])]
