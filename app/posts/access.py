"""Who may read a post, from the most readers to the fewest.

What an older text was for is never what decides who may read it now: it comes back for no more readers than
may read the post at present, and for no more than it was written for.
"""

from dataclasses import dataclass
from uuid import UUID

ACCESS = ("everyone", "subscribers", "paid", "plan")
"""From the most readers to the fewest: a plan opens what is paid, and that what subscribers read."""
WORDS = {
    "everyone": "everyone",
    "subscribers": "subscribers",
    "paid": "paying readers",
    "plan": "readers of one plan",
}


@dataclass(frozen=True)
class Access:
    """One of ACCESS, with the plan when that is what it asks for."""

    kind: str
    plan_id: UUID | None = None

    @property
    def words(self) -> str:
        """Who may read, for a sentence."""
        return WORDS[self.kind]

    def opens(self, other: "Access") -> bool:
        """Whether somebody may read by this who may not by the other."""
        if self.kind == other.kind:
            return self.plan_id != other.plan_id
        return ACCESS.index(self.kind) < ACCESS.index(other.kind)


def stricter(then: Access, now: Access) -> Access:
    """The one of fewer readers; what is now, when neither is."""
    return now if then.opens(now) or then == now else then
