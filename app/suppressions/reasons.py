"""Why an address is blocked."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

Reason = Literal["bounce", "complaint", "by_hand", "erased"]
REASONS: tuple[Reason, ...] = get_args(Reason)


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
        return {
            "bounce": "mail to it came back",
            "complaint": "it was reported as spam",
            "by_hand": "blocked by the team",
            "erased": "erased on request",
        }[self.reason]
