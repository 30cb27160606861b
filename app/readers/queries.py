"""Reading readers: the list, one reader, their history."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from app.base.addresses import display
from app.base.database import Tx
from app.readers.states import STATE_OF, ReaderState, Source, SubscriptionState


@dataclass(frozen=True)
class SubscriptionView:
    """One subscription. `changed_at` is when it came into this state."""

    newsletter_id: UUID
    slug: str
    name: str
    state: SubscriptionState
    consent_source: str
    consent_at: datetime
    changed_at: datetime


@dataclass(frozen=True)
class ReaderView:
    """One reader as every page and the API see them."""

    id: UUID
    email: str
    name: str
    note: str
    source: Source
    extra: dict[str, str]
    joined_at: datetime
    created_at: datetime
    state: ReaderState
    subscriptions: tuple[SubscriptionView, ...]
    tags: tuple[str, ...]

    @property
    def address(self) -> str:
        """The address as people read it."""
        return display(self.email)

    @property
    def newsletters(self) -> tuple[str, ...]:
        """Slugs of what they get, or would once confirmed."""
        return tuple(one.slug for one in self.subscriptions if one.state != "unsubscribed")


@dataclass(frozen=True)
class ReaderName:
    """Who a reader is, for lists of something else."""

    email: str
    name: str


@dataclass(frozen=True)
class ReaderFilter:
    """Which readers; '' or None leaves a part out. A person's filters are `audiences`."""

    email: str | None = None
    state: ReaderState | None = None
    tag: str = ""


@dataclass(frozen=True)
class ConsentEntry:
    """One change of a subscription, and how it came about."""

    at: datetime
    act: str
    how: str
    newsletter: str


_READER = f"""
select r.id, r.email, r.name, r.note, r.source, r.extra, r.joined_at, r.created_at, {STATE_OF} as state,
       array(select jsonb_build_object(
                 'newsletter_id', n.id, 'slug', n.slug, 'name', n.name, 'state', s.state,
                 'consent_source', s.consent_source, 'consent_at', s.consent_at, 'changed_at', s.changed_at)
             from subscription s join newsletter n on n.account_id = s.account_id and n.id = s.newsletter_id
             where s.account_id = r.account_id and s.reader_id = r.id
             order by n.is_default desc, n.name, n.id) as subscriptions,
       array(select t.tag from reader_tag t where t.account_id = r.account_id and t.reader_id = r.id
             order by t.tag) as tags
from reader r
"""
_NAMES = "select id, email, name from reader where id = any (cast(:ids as uuid[]))"
_PLACE = "(joined_at, id) {than} (cast(:at as timestamptz), cast(:id as uuid))"
_HISTORY = """
select c.at, c.act, c.how, n.name from consent c
join newsletter n on n.account_id = c.account_id and n.id = c.newsletter_id
where c.reader_id = :id and (cast(:newsletter as uuid) is null or c.newsletter_id = :newsletter)
order by c.id
"""

# One look into the index a tag, however many readers have it.
_TAGS = """
with recursive known (tag) as (
    (select tag from reader_tag order by tag limit 1)
    union all
    select (select t.tag from reader_tag t where t.tag > known.tag order by t.tag limit 1)
    from known where known.tag is not null
)
select tag from known where tag is not null
"""


async def readers(
    tx: Tx,
    wanted: ReaderFilter,
    *,
    older: tuple[datetime, UUID] | None = None,
    newer: tuple[datetime, UUID] | None = None,
    limit: int = 50,
) -> list[ReaderView]:
    """Newest first: those after `older`, or the nearest before `newer`; both name a place in the list."""
    where, binds = _where(wanted)
    if place := older or newer:
        where.append(_PLACE.format(than="<" if older else ">"))
        binds |= {"at": place[0], "id": place[1]}
    order = "asc" if newer and not older else "desc"
    some = f"where {' and '.join(where)}" if where else ""
    rows = await tx.rows(
        f"{_READER} {some} order by joined_at {order}, id {order} limit :limit", **binds, limit=limit
    )
    found = [_view(row) for row in rows]
    return found[::-1] if order == "asc" else found


async def reader(tx: Tx, reader_id: UUID) -> ReaderView | None:
    """One reader, or None."""
    row = await tx.row(f"{_READER} where r.id = :id", id=reader_id)
    return _view(row) if row else None


async def readers_by_id(tx: Tx, reader_ids: Sequence[UUID]) -> dict[UUID, ReaderView]:
    """Those of the readers who are still there, by id."""
    rows = await tx.rows(f"{_READER} where r.id = any (cast(:ids as uuid[]))", ids=list(reader_ids))
    return {row.id: _view(row) for row in rows}


async def find_reader(tx: Tx, email: str) -> ReaderView | None:
    """The reader of a canonical address, or None."""
    row = await tx.row(f"{_READER} where r.email = :email", email=email)
    return _view(row) if row else None


async def names_of(tx: Tx, reader_ids: Sequence[UUID]) -> dict[UUID, ReaderName]:
    """Those of the readers who are still there, by id."""
    rows = await tx.rows(_NAMES, ids=list(reader_ids))
    return {row.id: ReaderName(row.email, row.name) for row in rows}


async def consent_history(tx: Tx, reader_id: UUID, newsletter_id: UUID | None = None) -> list[ConsentEntry]:
    """Every change of their subscriptions, or of that to one newsletter, oldest first."""
    rows = await tx.rows(_HISTORY, id=reader_id, newsletter=newsletter_id)
    return [ConsentEntry(*row) for row in rows]


async def known_tags(tx: Tx) -> list[str]:
    """Every tag that some reader has."""
    return [row.tag for row in await tx.rows(_TAGS)]


def _where(wanted: ReaderFilter) -> tuple[list[str], dict[str, Any]]:
    where: list[str] = []
    binds: dict[str, Any] = {}
    if wanted.email is not None:
        where.append("r.email = :email")
        binds["email"] = wanted.email
    if wanted.state:
        where.append(f"{STATE_OF} = :state")
        binds["state"] = wanted.state
    if wanted.tag:
        where.append(
            "exists (select from reader_tag t where t.account_id = r.account_id and t.reader_id = r.id"
            " and t.tag = :tag)"
        )
        binds["tag"] = wanted.tag
    return where, binds


def _view(row: Any) -> ReaderView:
    fields = dict(row._mapping)
    fields["subscriptions"] = tuple(msgspec.convert(one, SubscriptionView) for one in fields["subscriptions"])
    fields["tags"] = tuple(fields["tags"])
    return ReaderView(**fields)
