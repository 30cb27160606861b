"""How many readers, by what they may be mailed. Each count comes from one statement: its parts add up."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Integer, TextualSelect, column, text

from app.base.database import Tx
from app.readers.states import ReaderState


@dataclass(frozen=True)
class LeftOut:
    """Who has a subscription to a newsletter and will not get it. Blocked goes before the others."""

    unsubscribed: int
    blocked: int
    unconfirmed: int

    @property
    def total(self) -> int:
        return self.unsubscribed + self.blocked + self.unconfirmed


@dataclass(frozen=True)
class Standing:
    """All who ever subscribed to a newsletter: those who will get it, and those left out."""

    will: int
    left_out: LeftOut


@dataclass(frozen=True)
class ReaderCounts:
    """All readers of the account, by state."""

    active: int
    pending: int
    unsubscribed: int
    suppressed: int

    def of(self, state: ReaderState | None) -> int:
        """How many are in this state; None: in any."""
        return getattr(self, state) if state else self.total

    @property
    def total(self) -> int:
        return self.active + self.pending + self.unsubscribed + self.suppressed


@dataclass(frozen=True)
class LastWeek:
    """How many joined and how many left in the last seven days."""

    joined: int
    gone: int


# Filters as in the view `mailable` and in `unmailable_reason`, beside which this stands.
_STANDING = """
select count(*) filter (where x.address is null and s.state = 'active') as will,
       count(*) filter (where x.address is null and s.state = 'unsubscribed') as unsubscribed,
       count(*) filter (where x.address is not null) as blocked,
       count(*) filter (where x.address is null and s.state = 'pending') as unconfirmed
from subscription s
join reader r on r.account_id = s.account_id and r.id = s.reader_id
left join suppression x on x.account_id = r.account_id and x.address = r.email
where s.newsletter_id = :newsletter
"""
# The same states as STATE_OF, for all readers in one pass.
_BY_STATE = """
with standing as (
    select reader_id, bool_or(state = 'active') as active, bool_or(state = 'pending') as pending
    from subscription group by reader_id
)
select count(*) filter (where x.address is null and s.active) as active,
       count(*) filter (where x.address is null and s.pending and not s.active) as pending,
       count(*) filter (where x.address is null and s.active is not true and s.pending is not true)
           as unsubscribed,
       count(*) filter (where x.address is not null) as suppressed
from reader r
left join standing s on s.reader_id = r.id
left join suppression x on x.account_id = r.account_id and x.address = r.email
"""

# An import brings years of history: only who joined or left here in the last seven days counts. The day is a
# select of its own, so that an index can be used for it: as a call it would be asked row by row.
_LAST_WEEK = """
select (select count(*) from reader where joined_at > (select godwit_now() - interval '7 days')) as joined,
       (select count(distinct c.reader_id)
        from consent c
        join subscription s on s.account_id = c.account_id and s.reader_id = c.reader_id
            and s.newsletter_id = c.newsletter_id and s.state = 'unsubscribed'
        join reader r on r.account_id = c.account_id and r.id = c.reader_id
        where c.act = 'unsubscribed' and c.at > (select godwit_now() - interval '7 days')
          and c.at > r.created_at + interval '1 second') as gone
"""


def standing_of(newsletter_id: UUID) -> TextualSelect:
    """One row (will, unsubscribed, blocked, unconfirmed), to be asked together with something else."""
    parts = (column(name, Integer) for name in ("will", "unsubscribed", "blocked", "unconfirmed"))
    return text(_STANDING).bindparams(newsletter=newsletter_id).columns(*parts)


async def newsletter_standing(tx: Tx, newsletter_id: UUID) -> Standing:
    """Who will get this newsletter if it goes out now, and who will not."""
    row = await tx.row(standing_of(newsletter_id))
    assert row is not None
    return Standing(row.will, LeftOut(row.unsubscribed, row.blocked, row.unconfirmed))


async def reader_counts(tx: Tx) -> ReaderCounts:
    """True totals, never cut."""
    row = await tx.row(_BY_STATE)
    assert row is not None
    return ReaderCounts(*row)


async def last_week(tx: Tx) -> LastWeek:
    """What the last seven days brought, over all newsletters."""
    row = await tx.row(_LAST_WEEK)
    assert row is not None
    return LastWeek(*row)
