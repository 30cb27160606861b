"""A reader's own page: what they get, and what they change of it themselves (R11)."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.base.database import Tx
from app.base.errors import Conflict, Invalid, Problem
from app.base.fields import one_line
from app.readers.additions import LONGEST_NAME
from app.readers.confirming import welcome
from app.readers.queries import ReaderView, reader
from app.readers.streams import Newsletter, newsletters
from app.readers.subscriptions import rearrange
from app.suppressions import Suppression, may_unblock, suppression_of, unblock

HOW = "on their own page, signed in"

# Read where it stands, by its columns: plans are above readers, and this page is the reader's.
_ACCESS = """
select p.name, e.source, e.starts_at, e.ends_at from entitlement e
join plan p on p.account_id = e.account_id and p.id = e.plan_id
where e.reader_id = :reader and e.starts_at <= godwit_now()
  and (e.ends_at is null or e.ends_at > godwit_now())
order by e.ends_at desc nulls first, p.name
"""
_RENAME = "update reader set name = :name where id = :reader"
# An erasure in the same moment waits, or this finds nobody.
_HOLD = "select id from reader where id = :reader for key share"
GONE = "You are no reader here any more."
_KNOWN = "update reader set confirmed_at = coalesce(confirmed_at, godwit_now()) where id = :reader"


@dataclass(frozen=True)
class Choice:
    """A newsletter and whether they get it. `pending`: they asked, and never confirmed."""

    newsletter: Newsletter
    on: bool
    pending: bool


@dataclass(frozen=True)
class Access:
    """What they may read by a plan, from where, and until when (None: no end)."""

    plan: str
    source: str
    starts_at: datetime
    ends_at: datetime | None


@dataclass(frozen=True)
class OwnPage:
    """What /me shows. `block` is why mail to them is stopped; `may_lift` whether they can end that."""

    reader: ReaderView
    choices: tuple[Choice, ...]
    access: tuple[Access, ...]
    block: Suppression | None
    problems: tuple[Problem, ...] = ()
    typed_name: str | None = None
    typed_address: str = ""

    @property
    def name(self) -> str:
        """As it was typed, else as it is."""
        return self.reader.name if self.typed_name is None else self.typed_name

    @property
    def may_lift(self) -> bool:
        """Whether their own word ends the block."""
        return self.block is not None and may_unblock(self.block.reason, "reader")


async def own_page(
    tx: Tx, reader_id: UUID, problems: tuple[Problem, ...] = (), typed_name: str | None = None
) -> OwnPage | None:
    """Everything on it; None when the reader is gone."""
    found = await reader(tx, reader_id)
    if found is None:
        return None
    states = {one.newsletter_id: one.state for one in found.subscriptions}
    choices = tuple(
        Choice(one, states.get(one.id) == "active", states.get(one.id) == "pending")
        for one in await newsletters(tx)
    )
    rows = await tx.rows(_ACCESS, reader=reader_id)
    block = await suppression_of(tx, found.email)
    return OwnPage(found, choices, tuple(Access(*row) for row in rows), block, problems, typed_name)


async def rename(tx: Tx, reader_id: UUID, given: str) -> None:
    """Their name as they want it. Raises Invalid naming `name`."""
    name = one_line(given)
    if len(name) > LONGEST_NAME:
        long = f"The name is {len(name)} characters long; the most is {LONGEST_NAME}."
        raise Invalid([Problem("name", long)])
    await tx.execute(_RENAME, name=name, reader=reader_id)


async def choose(tx: Tx, reader_id: UUID, slugs: Collection[str]) -> None:
    """Make these all that they get: their own confirm, since only who has the mailbox signs in.

    Raises Conflict when they were erased meanwhile.
    """
    if await tx.row(_HOLD, reader=reader_id) is None:
        raise Conflict(GONE)
    streams = await newsletters(tx)
    joined = await rearrange(
        tx,
        reader_id,
        join=[one.id for one in streams if one.slug in slugs],
        leave=[one.id for one in streams if one.slug not in slugs],
        consent=None,
        how=HOW,
    )
    await tx.execute(_KNOWN, reader=reader_id)
    await welcome(tx, reader_id, joined)


async def lift_own_block(tx: Tx, reader_id: UUID) -> bool:
    """End what stops mail to them, where that is theirs to say. Raises Conflict where it is not."""
    found = await reader(tx, reader_id)
    if found is None:
        raise Conflict(GONE)
    return await unblock(tx, found.email, by="reader", because=HOW)
