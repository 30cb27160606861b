"""Everything we keep of a reader, for the reader: their right to a copy, in JSON."""

from typing import Any
from uuid import UUID

from app.answers import iso, iso_or_none
from app.base.addresses import display
from app.base.database import Tx
from app.ledger import sends_of_reader
from app.messages import messages_to
from app.readers.preferences import OwnPage, own_page
from app.readers.queries import consent_history
from app.suppressions import block_history
from app.webhooks import events_about

#: Mails in one copy; nobody was mailed more often by one publication.
MOST_MAILS = 100_000
_SESSIONS = (
    "select created_at, seen_at, expires_at from reader_session where reader_id = :reader order by created_at"
)
#: Also those that are over or have not begun.
_ACCESS = """
select p.name as plan, e.source, e.reason, e.starts_at, e.ends_at, e.created_at from entitlement e
join plan p on p.account_id = e.account_id and p.id = e.plan_id
where e.reader_id = :reader order by e.starts_at, p.name, e.id
"""
_ASKED = """
select source, created_at, expires_at, used_at from confirmation where reader_id = :reader order by created_at
"""
_IMPORTED = """
select i.created_at, i.file_name, c.act from import_change c
join import i on i.account_id = c.account_id and i.id = c.import_id
where c.thing_id = :reader order by i.created_at
"""
_MORE = "select confirmed_at, form from reader where id = :reader"


async def own_data(tx: Tx, reader_id: UUID) -> dict[str, Any] | None:
    """The copy; None when the reader is gone."""
    shown = await own_page(tx, reader_id)
    if shown is None:
        return None
    more = await tx.row(_MORE, reader=reader_id)
    assert more is not None
    email = shown.reader.email
    return {
        **_reader(shown),
        "confirmed_at": iso_or_none(more.confirmed_at),
        "form": more.form,
        "consents": [
            {"at": iso(one.at), "act": one.act, "how": one.how, "newsletter": one.newsletter}
            for one in await consent_history(tx, reader_id)
        ],
        "blocks": [
            {"at": iso(one.at), "act": one.act, "reason": one.reason, "detail": one.detail, "by": one.by_kind}
            for one in await block_history(tx, email)
        ],
        **await _mails(tx, reader_id, email),
        **await _kept(tx, reader_id),
    }


async def _mails(tx: Tx, reader_id: UUID, email: str) -> dict[str, Any]:
    sends = await sends_of_reader(tx, reader_id, before=None, most=MOST_MAILS)
    return {
        "mails": [{"at": iso(one.at), "subject": one.subject, "state": one.state} for one in sends],
        "automatic_mails": [
            {"at": iso(one.at), "mail": one.title, "subject": one.subject, "state": one.state}
            for one in await messages_to(tx, email, most=MOST_MAILS)
        ],
    }


async def _kept(tx: Tx, reader_id: UUID) -> dict[str, Any]:
    """What else there are rows of."""
    return {
        "access": [_access(row) for row in await tx.rows(_ACCESS, reader=reader_id)],
        "asked": [
            {"at": iso(row.created_at), "where": row.source, "until": iso(row.expires_at)}
            | {"confirmed": iso_or_none(row.used_at)}
            for row in await tx.rows(_ASKED, reader=reader_id)
        ],
        "imports": [
            {"at": iso(row.created_at), "file": row.file_name, "act": row.act}
            for row in await tx.rows(_IMPORTED, reader=reader_id)
        ],
        "announced": [{"at": iso(one.at), "event": one.type} for one in await events_about(tx, reader_id)],
        "sessions": [
            {"began": iso(row.created_at), "used": iso(row.seen_at), "ends": iso(row.expires_at)}
            for row in await tx.rows(_SESSIONS, reader=reader_id)
        ],
    }


def _reader(shown: OwnPage) -> dict[str, Any]:
    one = shown.reader
    return {
        "address": display(one.email),
        "name": one.name,
        "joined_at": iso(one.joined_at),
        "source": one.source,
        "tags": list(one.tags),
        "note": one.note,
        "extra": one.extra,
        "newsletters": [
            {
                "newsletter": sub.name,
                "state": sub.state,
                "agreed": {"where": sub.consent_source, "at": iso(sub.consent_at)},
                "since": iso(sub.changed_at),
            }
            for sub in one.subscriptions
        ],
    }


def _access(row: Any) -> dict[str, Any]:
    return {
        "plan": row.plan,
        "source": row.source,
        "reason": row.reason,
        "from": iso(row.starts_at),
        "until": iso_or_none(row.ends_at),
        "given": iso(row.created_at),
    }
