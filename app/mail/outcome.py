"""What became of a call to a provider: a value from a closed set, never an exception.

| outcome       | what is certain                            | rows become        | what next                |
|---------------|--------------------------------------------|--------------------|--------------------------|
| Accepted      | the provider has every mail of the call    | sent               | evidence may follow      |
| Refused       | it has none: it won't take these bytes     | failed             | a person may plan again  |
| Split         | it has none: one of many mails is bad      | planned            | again in halves          |
| Throttled     | it has none: too fast                      | planned, uncounted | again after `after`      |
| NotReached    | it has none: nothing that matters has left | planned            | again; pause if it lasts |
| Misconfigured | it has none: our key, domain or right      | failed             | pause, if more is left   |
| Unknown       | nothing                                    | unknown            | never again without proof|

Proof is the provider's record, its own idempotency, or a person. Not being reached lasts after five calls in
a row or ten minutes.
`Split` stands for a call of two mails or more; a provider answers `Refused` for a single one.
Reasons are sentences for people and stand on the row.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from app.base.addresses import without


@dataclass(frozen=True)
class Accepted:
    """The provider has taken every mail. `reference` is its own name for the call, when it gave one."""

    reference: str | None = None


@dataclass(frozen=True)
class Refused:
    """A definite no to these bytes: nothing was taken, and nothing will be.

    `bounced`: for good, because of the address itself (a hard bounce).
    """

    reason: str
    bounced: bool = False


@dataclass(frozen=True)
class Split:
    """A definite no to the whole batch because of one mail in it."""

    reason: str


@dataclass(frozen=True)
class Throttled:
    """A definite not now. `after` in seconds, when the provider said it."""

    reason: str
    after: float | None = None


@dataclass(frozen=True)
class NotReached:
    """Nobody answered, and surely nothing was handed over (name, connection, TLS, too late to begin)."""

    reason: str


@dataclass(frozen=True)
class Misconfigured:
    """A definite no to us, whatever the mail: a key, a domain, a right."""

    reason: str


@dataclass(frozen=True)
class Unknown:
    """It may have been handed over, or not. The safe reading of every answer that is not in the table."""

    reason: str


Outcome = Accepted | Refused | Split | Throttled | NotReached | Misconfigured | Unknown


def anonymous(outcome: Outcome, addresses: Sequence[str]) -> Outcome:
    """The outcome without the addresses it was about, which servers like to quote.

    Its words are kept where nobody looks when a reader is erased; whose row they are on is known anyway.
    """
    said = outcome.reference or "" if isinstance(outcome, Accepted) else outcome.reason
    told = said
    for address in addresses if "@" in said else ():
        told = without(told, address)
    if told == said:
        return outcome
    if isinstance(outcome, Accepted):
        return replace(outcome, reference=told)
    return replace(outcome, reason=told)


@dataclass(frozen=True)
class Record:
    """What a provider's record says about one batch.

    `sent` are the delivery ids found in it. Those not found count as not sent only if the look-up was
    `whole`: nothing left out, nothing that could still arrive.
    """

    whole: bool
    sent: frozenset[UUID]
