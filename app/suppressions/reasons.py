"""Why an address is blocked, and who may lift that.

| reason    | the reader's own confirm | an owner who says why | anybody else |
|-----------|--------------------------|-----------------------|--------------|
| bounce    | yes                      | yes                   | no           |
| complaint | yes                      | no                    | no           |
| by_hand   | no                       | yes                   | no           |
| erased    | yes                      | no                    | no           |

The same stands in the table suppression_change (`lifted_by_whom_it_may`): a lift that is not in it cannot be
recorded, and one that is not recorded is not made.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

Reason = Literal["bounce", "complaint", "by_hand", "erased"]
REASONS: tuple[Reason, ...] = get_args(Reason)

Lifter = Literal["owner", "reader"]

LIFTED_BY: dict[Reason, tuple[Lifter, ...]] = {
    "bounce": ("owner", "reader"),
    "complaint": ("reader",),
    "by_hand": ("owner",),
    "erased": ("reader",),
}

#: As a creator reads them.
WORDS: dict[Reason, str] = {
    "bounce": "mail to it came back",
    "complaint": "it was reported as spam",
    "by_hand": "blocked by the team",
    "erased": "erased on request",
}


@dataclass(frozen=True)
class Suppression:
    """A blocked address. `detail` is a sentence for people, or ''."""

    address: str
    reason: Reason
    detail: str
    created_at: datetime

    @property
    def words(self) -> str:
        """The reason as a creator reads it."""
        return WORDS[self.reason]


@dataclass(frozen=True)
class BlockChange:
    """One line of an address's record. `by_kind` is system, owner or reader; `by_name` '' for the system."""

    act: Literal["blocked", "lifted"]
    reason: Reason
    by_kind: str
    by_name: str
    detail: str
    at: datetime

    @property
    def words(self) -> str:
        """The reason as a creator reads it."""
        return WORDS[self.reason]


def may_unblock(reason: Reason, by: Lifter) -> bool:
    """Whether a block for this reason is theirs to lift."""
    return by in LIFTED_BY[reason]
