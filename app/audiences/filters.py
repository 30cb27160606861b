"""A filter of readers as a Select: of those in an audience, or of any readers."""

from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    and_,
    case,
    cast,
    column,
    func,
    literal,
    literal_column,
    not_,
    or_,
    select,
    table,
)

from app.audiences.criteria import EVERYBODY, ReaderFilter
from app.base.addresses import AddressError, canonical

_KEY = ("account_id", "reader_id", "newsletter_id")
_MAILABLE = table("mailable", *map(column, _KEY))
_SUBSCRIPTION = table("subscription", *map(column, (*_KEY, "state", "changed_at")))
READER = table(
    "reader", *map(column, ("account_id", "id", "email", "joined_at", "created_at", "source", "form"))
).alias("r")
_BLOCK = table("suppression", column("account_id"), column("address"))
_TAG = table("reader_tag", column("account_id"), column("reader_id"), column("tag"))
_ENTITLEMENT = table(
    "entitlement", *map(column, ("account_id", "reader_id", "plan_id", "starts_at", "ends_at"))
)
_BROADCAST = table("broadcast", column("account_id"), column("id"), column("mailing_id"))
_SEND = table("send", *map(column, ("account_id", "mailing_id", "reader_id", "state")))
#: Of a copy that was handed over: it arrived, or may have.
_GOT = ("sending", "sent", "unknown")
_ACCOUNT = table("account", column("id"), column("zone"))
# A value asked for by a select of its own is known before the rows are read: as a bare call it would be asked
# for each, and no index could be used for it, since the policy must hide a row from whatever may leak.
_NOW = select(func.godwit_now()).scalar_subquery()
_ZONE = (
    select(_ACCOUNT.c.zone)
    .where(
        _ACCOUNT.c.id == cast(func.nullif(func.current_setting("godwit.account_id", True), ""), BigInteger)
    )
    .scalar_subquery()
)

Condition = ColumnElement[bool]
_LIVE: list[Condition] = [
    _ENTITLEMENT.c.starts_at <= _NOW,
    or_(_ENTITLEMENT.c.ends_at.is_(None), _ENTITLEMENT.c.ends_at > _NOW),
]


def select_readers(
    newsletter_id: UUID,
    *,
    before: datetime | None = None,
    filter: ReaderFilter | None = None,
    access: str = "everyone",
    plan_id: UUID | None = None,
) -> Select[Any]:
    """Everybody who may be mailed this newsletter now: columns reader_id and variant, in no order.

    `before` leaves out who joined it later: a mailing goes to those who were there when it began. `filter`
    (resolved) narrows it. The variant is `full` for whoever may read what has this access, else `preview`.
    """
    chosen: Any = select(_MAILABLE.c.reader_id, _variant(access, plan_id)).where(
        _MAILABLE.c.newsletter_id == newsletter_id
    )
    if before is not None:
        same = and_(*(_MAILABLE.c[key] == _SUBSCRIPTION.c[key] for key in _KEY))
        chosen = chosen.join(_SUBSCRIPTION, same).where(_SUBSCRIPTION.c.changed_at <= before)
    if filter is not None and filter != EVERYBODY:
        same = and_(READER.c.account_id == _MAILABLE.c.account_id, READER.c.id == _MAILABLE.c.reader_id)
        chosen = chosen.join(READER, same).where(*conditions(filter))
    return chosen


def conditions(wanted: ReaderFilter) -> list[Condition]:
    """What must hold of a row of READER. The filter's segments must be resolved."""
    found = [*_standing(wanted), *_tags(wanted), *_joined(wanted), *_plan(wanted)]
    if wanted.search:
        found.append(READER.c.id.in_(select(searched(wanted.search).c.id)))
    if wanted.source:
        found.append(READER.c.source == wanted.source)
    if wanted.form:
        found.append(READER.c.form == wanted.form)
    if wanted.got:
        found.append(_got(wanted.got))
    return [*found, *_segments(wanted)]


def _variant(access: str, plan_id: UUID | None) -> Any:
    # Whoever is in an audience is subscribed: what subscribers may read needs no look. Else as `entitled`
    # has it, which is asked for one reader, and would take seconds for a hundred thousand.
    if access in ("everyone", "subscribers"):
        return literal("full").label("variant")
    mine = [
        _ENTITLEMENT.c.account_id == _MAILABLE.c.account_id,
        _ENTITLEMENT.c.reader_id == _MAILABLE.c.reader_id,
    ]
    which = [_ENTITLEMENT.c.plan_id == plan_id] if access == "plan" else []
    may = select(1).select_from(_ENTITLEMENT).where(*mine, *_LIVE, *which).correlate(_MAILABLE).exists()
    return case((may, "full"), else_="preview").label("variant")


def _standings(newsletter_id: UUID | None) -> tuple[Condition, Condition, Condition]:
    """Blocked, active, pending: of the subscription to one newsletter, or of all (readers/states.py)."""
    which = [] if newsletter_id is None else [_SUBSCRIPTION.c.newsletter_id == newsletter_id]
    return (
        _exists(_BLOCK, _BLOCK.c.address == READER.c.email),
        _subscribed(_SUBSCRIPTION.c.state == "active", *which),
        _subscribed(_SUBSCRIPTION.c.state == "pending", *which),
    )


def _standing(wanted: ReaderFilter) -> list[Condition]:
    """Blocked goes before the others; of a newsletter, everybody who ever had a subscription to it."""
    blocked, active, pending = _standings(wanted.newsletter)
    mine = _SUBSCRIPTION.c.newsletter_id == wanted.newsletter
    ever = [] if wanted.newsletter is None else [_subscribed(mine)]
    match wanted.state:
        case None:
            return ever
        case "suppressed":
            return [blocked, *ever]
        case "active":
            return [not_(blocked), active]
        case "pending":
            return [not_(blocked), not_(active), pending]
        case _:
            return [not_(blocked), not_(active), not_(pending), *ever]


def _tags(wanted: ReaderFilter) -> list[Condition]:
    found = [_tagged(_TAG.c.tag == tag) for tag in wanted.all_tags]
    if wanted.any_tags:
        found.append(_tagged(_TAG.c.tag.in_(wanted.any_tags)))
    if wanted.no_tags:
        found.append(not_(_tagged(_TAG.c.tag.in_(wanted.no_tags))))
    return found


def _joined(wanted: ReaderFilter) -> list[Condition]:
    found: list[Condition] = []
    if wanted.joined_from:
        found.append(READER.c.joined_at >= _midnight(wanted.joined_from))
    if wanted.joined_until:
        found.append(READER.c.joined_at < _midnight(wanted.joined_until + timedelta(days=1)))
    return found


def _got(broadcast_id: UUID) -> Condition:
    mailing = select(_BROADCAST.c.mailing_id).where(_BROADCAST.c.id == broadcast_id).scalar_subquery()
    mine = [_SEND.c.mailing_id == mailing, _SEND.c.reader_id == READER.c.id]
    return _exists(_SEND, *mine, _SEND.c.state.in_(_GOT))


def _plan(wanted: ReaderFilter) -> list[Condition]:
    if wanted.plan is None:
        return []
    live = [_ENTITLEMENT.c.reader_id == READER.c.id, *_LIVE]
    if wanted.plan == "any":
        return [_exists(_ENTITLEMENT, *live)]
    if wanted.plan == "none":
        return [not_(_exists(_ENTITLEMENT, *live))]
    return [_exists(_ENTITLEMENT, *live, _ENTITLEMENT.c.plan_id == wanted.plan)]


def _segments(wanted: ReaderFilter) -> list[Condition]:
    found: list[Condition] = []
    for one, within in ((wanted.segment, wanted.segment_filter), (wanted.outside, wanted.outside_filter)):
        if one is not None and within is None:
            raise ValueError("the filter's segments are not resolved")
    if wanted.segment_filter is not None:
        found += conditions(wanted.segment_filter)
    if wanted.outside_filter is not None:
        # `is not true`: what is unknown of a reader does not put them into the segment.
        found.append(
            not_(func.coalesce(and_(literal_column("true"), *conditions(wanted.outside_filter)), False))
        )
    return found


def _subscribed(*which: Condition) -> Condition:
    return _exists(_SUBSCRIPTION, _SUBSCRIPTION.c.reader_id == READER.c.id, *which)


def _tagged(which: Condition) -> Condition:
    return _exists(_TAG, _TAG.c.reader_id == READER.c.id, which)


def _exists(rows: Any, *which: Condition) -> Condition:
    found = select(1).select_from(rows).where(rows.c.account_id == READER.c.account_id, *which)
    return found.correlate(READER).exists()


def _midnight(day: date) -> Any:
    return select(func.timezone(_ZONE, literal(datetime.combine(day, time())))).scalar_subquery()


def searched(part: str) -> Any:
    """The readers (id, joined_at) with this part in address or name, as rows.

    A whole address is sought under its canonical form, a part of one as typed.
    """
    try:
        address = canonical(part)
    except AddressError:
        address = part.lower()
    return func.search_readers(address, part.lower()).table_valued("id", "joined_at", name="found")
