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


# As in the view `mailable` and in `unmailable_reason`, beside which this stands. Blocked addresses are
# few: all subscriptions are counted and theirs taken off, each looked up (without the limit all readers are
# read for them).
_STANDING = """
with every as (
    select count(*) filter (where s.state = 'active') as active,
           count(*) filter (where s.state = 'unsubscribed') as unsubscribed,
           count(*) filter (where s.state = 'pending') as pending
    from subscription s where s.newsletter_id = :newsletter
), blocked as (
    select count(*) as n,
           count(*) filter (where s.state = 'active') as active,
           count(*) filter (where s.state = 'unsubscribed') as unsubscribed,
           count(*) filter (where s.state = 'pending') as pending
    from suppression x
    cross join lateral (
        select r.account_id, r.id from reader r
        where r.account_id = x.account_id and r.email = x.address limit 1) r
    join subscription s on s.account_id = r.account_id and s.reader_id = r.id
        and s.newsletter_id = :newsletter
)
select every.active - blocked.active as will, every.unsubscribed - blocked.unsubscribed as unsubscribed,
       blocked.n as blocked, every.pending - blocked.pending as unconfirmed
from every, blocked
"""
# The same states as STATE_OF, for all readers. With one newsletter a reader has one subscription at most, and
# the active ones need no telling apart.
_ONLY_ONE = "select count(*) = 1 from newsletter"
_BY_STATE = """
with active as (
    select {active} as n from subscription s where s.state = 'active'
), pending as (
    select count(distinct s.reader_id) as n from subscription s
    where s.state = 'pending' and not exists (
        select from subscription a
        where a.account_id = s.account_id and a.reader_id = s.reader_id and a.state = 'active')
), standing as (
    select exists (select from subscription s where s.account_id = r.account_id and s.reader_id = r.id
                   and s.state = 'active') as active,
           exists (select from subscription s where s.account_id = r.account_id and s.reader_id = r.id
                   and s.state = 'pending') as pending
    from suppression x
    cross join lateral (
        select r.account_id, r.id from reader r
        where r.account_id = x.account_id and r.email = x.address limit 1) r
), blocked as (
    select count(*) as n, count(*) filter (where active) as active,
           count(*) filter (where pending and not active) as pending
    from standing
), found as (
    select (select count(*) from reader) as total, active.n - blocked.active as active,
           pending.n - blocked.pending as pending, blocked.n as suppressed
    from active, pending, blocked
)
select active, pending, total - active - pending - suppressed as unsubscribed, suppressed from found
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
    alone = await tx.value(_ONLY_ONE)
    row = await tx.row(_BY_STATE.format(active="count(*)" if alone else "count(distinct s.reader_id)"))
    assert row is not None
    return ReaderCounts(*row)


async def last_week(tx: Tx) -> LastWeek:
    """What the last seven days brought, over all newsletters."""
    row = await tx.row(_LAST_WEEK)
    assert row is not None
    return LastWeek(*row)
