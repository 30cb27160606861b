"""How many an audience has, and how many it leaves out, each of them a list to open."""

from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from sqlalchemy import func, select, true

from app.audiences.criteria import ReaderFilter, fields_of
from app.audiences.filters import select_readers
from app.base.database import Tx
from app.readers import LeftOut, newsletter_standing, standing_of


@dataclass(frozen=True)
class AudienceSize:
    """`will` get it if it goes out now; `left_out` have a subscription and will not, by why (A2).

    `outside` could get it, and are not in the segment. `previews` of those who will get the preview of a
    paid post.
    """

    will: int
    left_out: LeftOut
    outside: int = 0
    previews: int = 0


async def size(
    tx: Tx,
    newsletter_id: UUID,
    *,
    filter: ReaderFilter | None = None,
    access: str = "everyone",
    plan_id: UUID | None = None,
) -> AudienceSize:
    """The size of a newsletter's audience now, or of the part that a filter (resolved) leaves of it."""
    if filter is None and access in ("everyone", "subscribers"):
        standing = await newsletter_standing(tx, newsletter_id)
        return AudienceSize(standing.will, standing.left_out)
    all_of_it = standing_of(newsletter_id).subquery("standing")
    chosen = select_readers(newsletter_id, filter=filter, access=access, plan_id=plan_id).subquery("chosen")
    preview = func.count().filter(chosen.c.variant == "preview").label("previews")
    counted = select(func.count().label("chosen"), preview).select_from(chosen).subquery("counted")
    row = await tx.row(select(all_of_it, counted).join_from(all_of_it, counted, true()))
    assert row is not None
    left_out = LeftOut(row.unsubscribed, row.blocked, row.unconfirmed)
    return AudienceSize(row.chosen, left_out, row.will - row.chosen, row.previews)


def audience_lists(newsletter_id: UUID, segment_id: UUID | None = None) -> dict[str, str]:
    """The query strings of the studio's list of readers behind each figure of an AudienceSize.

    Keys: will, unsubscribed, blocked, unconfirmed, and outside when there is a segment.
    """

    def listed(**more: object) -> str:
        return urlencode(fields_of(ReaderFilter(newsletter=newsletter_id, **more)))  # type: ignore[arg-type]

    lists = {
        "will": listed(state="active", segment=segment_id),
        "unsubscribed": listed(state="unsubscribed"),
        "blocked": listed(state="suppressed"),
        "unconfirmed": listed(state="pending"),
    }
    return lists | ({"outside": listed(state="active", outside=segment_id)} if segment_id else {})
