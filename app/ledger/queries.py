"""What is asked about mailings and their sends."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from app.base.database import Tx


@dataclass(frozen=True)
class Figures:
    """The figures of a mailing: audience is the sum of the rest, at every moment (L7)."""

    planned: int = 0
    sending: int = 0
    sent: int = 0
    unknown: int = 0
    failed: int = 0
    skipped: int = 0

    @property
    def audience(self) -> int:
        """Everybody recorded for it so far."""
        return self.to_go + self.sent + self.unknown + self.failed + self.skipped

    @property
    def to_go(self) -> int:
        """Those whose turn is still to come, or who are being handed over right now."""
        return self.planned + self.sending


@dataclass(frozen=True)
class MailingView:
    """A mailing as pages and API tell it, without its bodies (`content_of`).

    `state` is `scheduled` before it starts. `per_second` is its recent rate of acceptance; a person set it
    going again at `going_since`. `undone`: cancelled before anybody was handed over. `undecided`: some
    unknown copies can only be settled by a person. `held`: it is open, and a switch stops mail, or what it
    held was not let go yet. `put_off`: what came of the last calls, of which none got a copy out. `doubles`
    counts those who may have got it twice.
    """

    id: UUID
    newsletter_id: UUID
    state: str
    reason: str | None
    figures: Figures
    subject: str
    sender: str
    reply_to: str | None
    created_at: datetime
    build_began_at: datetime | None
    built_at: datetime | None
    finished_at: datetime | None
    audited_at: datetime | None
    audit: dict[str, Any] | None
    unknown_since: datetime | None
    look_up_at: datetime | None
    per_second: float
    starts_at: datetime
    going_since: datetime | None
    undone: bool
    undecided: bool
    held: bool
    doubles: int
    put_off: str | None


@dataclass(frozen=True)
class SendView:
    """One reader's copy. The address is None until the copy was claimed, or once forgotten."""

    reader_id: UUID
    address: str | None
    state: str
    reason: str | None
    batch_id: UUID | None
    called_at: datetime | None
    settled_at: datetime | None


@dataclass(frozen=True)
class ReaderSend:
    """One mail to one reader, for the reader's page."""

    mailing_id: UUID
    source_kind: str
    source_id: UUID
    subject: str
    state: str
    reason: str | None
    at: datetime


_SENT_FROM = """
select exists (select from mailing m where m.account_id = :account and m.built_at is not null
               and strpos(lower(m.sender), cast(:domain as text)) > 0)
"""
_MAILINGS = """
select m.id, m.newsletter_id, m.reason, m.starts_at, m.cancelled_unsent, m.going_since,
       case when m.state in ('building', 'sending') then m.put_off_reason end as put_off,
       case when m.state = 'building' and m.build_began_at is null and m.starts_at > godwit_now()
            then 'scheduled' else m.state end as state,
       m.state not in ('finished', 'cancelled')
           and (mail_stopped(m.account_id, true)
                or exists (select from platform_switch() p where p.holding)) as held,
       (select count(*) from possible_double d
        where d.account_id = m.account_id and d.mailing_id = m.id) as doubles,
       m.subject, m.sender, m.reply_to,
       m.created_at, m.build_began_at, m.built_at, m.finished_at, m.audited_at, m.audit,
       (select jsonb_object_agg(t.state, t.n) from (
            select state, sum(n)::bigint as n from tally
            where account_id = m.account_id and mailing_id = m.id group by state) t) as figures,
       b.unknown_since, b.look_up_at, coalesce(b.undecided, false) as undecided,
       coalesce(b.lately, 0) as lately
from mailing m
left join lateral (
    select min(called_at) filter (where state = 'unknown') as unknown_since,
           min(look_up_at) filter (where state = 'unknown') as look_up_at,
           bool_or(state = 'unknown' and look_up_at is null) as undecided,
           sum(size) filter (where state = 'accepted'
               and settled_at > clock_timestamp() - interval '10 seconds') as lately
    from batch where account_id = m.account_id and mailing_id = m.id
      and (state = 'unknown' or settled_at > clock_timestamp() - interval '10 seconds')
) b on true
where m.account_id = :account and m.id = any (cast(:mailings as uuid[]))
"""
_SENDS = """
select s.reader_id, s.address, s.state, s.reason, s.batch_id, b.called_at, s.settled_at
from send s
left join batch b on b.account_id = s.account_id and b.id = s.batch_id
where s.account_id = :account and s.mailing_id = :mailing
  and (cast(:state as text) is null or s.state = :state)
  and (cast(:before as uuid) is null or s.reader_id < :before)
order by s.reader_id desc
limit :most
"""
_OF_READER = """
select s.mailing_id, m.source_kind, m.source_id, m.subject, s.state, s.reason,
       coalesce(s.settled_at, m.created_at) as at
from send s join mailing m on m.account_id = s.account_id and m.id = s.mailing_id
where s.account_id = :account and s.reader_id = :reader
  and (cast(:before as uuid) is null or s.mailing_id < :before)
order by s.mailing_id desc
limit :most
"""


async def mailing_views(tx: Tx, mailing_ids: Sequence[UUID]) -> dict[UUID, MailingView]:
    """Those of the mailings that are in this account, by id."""
    rows = await tx.rows(_MAILINGS, account=tx.account_id, mailings=list(mailing_ids))
    return {row.id: _view(row) for row in rows}


async def mailing_view(tx: Tx, mailing_id: UUID) -> MailingView | None:
    """One mailing, or None when this account has none of that id."""
    return (await mailing_views(tx, [mailing_id])).get(mailing_id)


async def sends_of_mailing(
    tx: Tx, mailing_id: UUID, *, state: str | None = None, before: UUID | None = None, most: int = 50
) -> list[SendView]:
    """A page of copies, newest reader first; `before` is the last reader of the page before."""
    rows = await tx.rows(
        _SENDS, account=tx.account_id, mailing=mailing_id, state=state, before=before, most=most
    )
    return [SendView(*row) for row in rows]


async def sends_of_reader(
    tx: Tx, reader_id: UUID, *, before: UUID | None = None, most: int = 50
) -> list[ReaderSend]:
    """Every mail to one reader, newest mailing first."""
    rows = await tx.rows(_OF_READER, account=tx.account_id, reader=reader_id, before=before, most=most)
    return [ReaderSend(*row) for row in rows]


def _view(row: Any) -> MailingView:
    return MailingView(
        id=row.id,
        newsletter_id=row.newsletter_id,
        state=row.state,
        reason=row.reason,
        figures=Figures(**cast(dict[str, int], row.figures or {})),
        subject=row.subject,
        sender=row.sender,
        reply_to=row.reply_to,
        created_at=row.created_at,
        build_began_at=row.build_began_at,
        built_at=row.built_at,
        finished_at=row.finished_at,
        audited_at=row.audited_at,
        audit=row.audit,
        unknown_since=row.unknown_since,
        look_up_at=row.look_up_at,
        per_second=row.lately / 10,
        starts_at=row.starts_at,
        going_since=row.going_since,
        undone=row.cancelled_unsent,
        undecided=row.undecided,
        held=row.held,
        doubles=row.doubles,
        put_off=row.put_off,
    )


async def sent_from(tx: Tx, domain: str) -> bool:
    """Whether anything was mailed from an address of this domain yet."""
    return bool(await tx.value(_SENT_FROM, account=tx.account_id, domain=f"@{domain.lower()}"))
