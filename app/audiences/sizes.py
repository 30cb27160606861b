"""How many an audience has, and how many it leaves out."""

from dataclasses import dataclass
from uuid import UUID

from app.base.database import Tx
from app.readers import LeftOut, newsletter_standing


@dataclass(frozen=True)
class AudienceSize:
    """`will` get it if it goes out now; `left_out` have a subscription and will not, by why (A2)."""

    will: int
    left_out: LeftOut


async def size(tx: Tx, newsletter_id: UUID) -> AudienceSize:
    """The size of a newsletter's audience now."""
    standing = await newsletter_standing(tx, newsletter_id)
    return AudienceSize(standing.will, standing.left_out)
