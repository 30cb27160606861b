"""What stands around a post on the desk: plans to choose, tags in use, who else is here, what was kept."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from app.base import clock
from app.base.database import Tx
from app.base.statements import sql
from app.posts.drafts import Draft

HERE_FOR = timedelta(minutes=5)
"""How long after a save somebody is taken to be still at it."""
MOST_TAGS = 200
# plans and publishing stand above: these are rows of theirs, read and no more.
_PLANS = """
select id, name from plan where account_id = :account and (archived_at is null or id = cast(:chosen as uuid))
order by position, name
"""
_TAGS = """
select tag from draft, unnest(tags) as tag where account_id = :account
group by tag order by count(*) desc, tag limit :most
"""


@dataclass(frozen=True)
class Other:
    """Somebody else who saved this post a moment ago. `after_you`: it is newer than what stands here."""

    name: str
    version: int
    at: datetime
    after_you: bool


@dataclass(frozen=True)
class TestMail:
    """A test mail that was asked for: of which version, to whom, as which reader."""

    version: int
    address: str
    variant: str
    sent_at: datetime
    sent_by_name: str


@dataclass(frozen=True)
class Surroundings:
    """`plans` are pairs of id and name; `kept` how many earlier versions there are."""

    plans: tuple[tuple[UUID, str], ...] = ()
    tags: tuple[str, ...] = ()
    other: Other | None = None
    kept: int = 0
    test: TestMail | None = None


@dataclass(frozen=True)
class RevisionLine:
    """An earlier version in the list; `kept_by` is a name, '' for the API or nobody."""

    number: int
    title: str
    kept_for: str
    kept_by: str
    created_at: datetime
    words: int
    live: bool


async def surroundings(tx: Tx, post_id: UUID, me: UUID, draft: Draft | None) -> Surroundings:
    """Everything around the desk; for a post that was not saved yet, what there is of it."""
    chosen = draft.writing.plan_id if draft else None
    plans = await tx.rows(_PLANS, account=tx.account_id, chosen=chosen)
    tags = await tx.rows(_TAGS, account=tx.account_id, most=MOST_TAGS)
    kept = "select count(*) from revision where account_id = :account and post_id = :post"
    return Surroundings(
        plans=tuple((row.id, row.name) for row in plans),
        tags=tuple(row.tag for row in tags),
        other=other_at(draft, me, draft.version) if draft else None,
        kept=await tx.value(kept, account=tx.account_id, post=post_id),
        test=await last_test_mail(tx, post_id),
    )


def other_at(draft: Draft, me: UUID, version: int) -> Other | None:
    """Who else is at this post: whoever saved it last, if that was not you and just now."""
    after_you = draft.version > version
    lately = clock.now() - draft.saved_at < HERE_FOR
    if draft.saver_id == me or not (after_you or (lately and draft.saver_id)):
        return None
    return Other(draft.saved_by or "A program (through the API)", draft.version, draft.saved_at, after_you)


async def last_test_mail(tx: Tx, post_id: UUID) -> TestMail | None:
    """The last test mail of a post, None when there was none."""
    row = await tx.row(sql(__package__, "last_test_mail"), account=tx.account_id, post=post_id)
    return TestMail(*row) if row else None


async def revision_lines(tx: Tx, post_id: UUID, below: int | None, limit: int) -> list[RevisionLine]:
    """Earlier versions, newest first; `below` is the last page's last number."""
    rows = await tx.rows(
        sql(__package__, "revision_lines"), account=tx.account_id, post=post_id, below=below, most=limit
    )
    return [RevisionLine(*row) for row in rows]
