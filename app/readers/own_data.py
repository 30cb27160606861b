"""Everything we keep of a reader, for the reader: their right to a copy, in JSON."""

from typing import Any
from uuid import UUID

from app.answers import iso, iso_or_none
from app.base.addresses import display
from app.base.database import Tx
from app.ledger import sends_of_reader
from app.readers.preferences import OwnPage, own_page
from app.readers.queries import consent_history
from app.suppressions import block_history

#: Mails in one copy; nobody was mailed more often by one publication.
MOST_MAILS = 100_000
_SESSIONS = (
    "select created_at, seen_at, expires_at from reader_session where reader_id = :reader order by created_at"
)
_MORE = "select confirmed_at, form from reader where id = :reader"


async def own_data(tx: Tx, reader_id: UUID) -> dict[str, Any] | None:
    """The copy; None when the reader is gone."""
    shown = await own_page(tx, reader_id)
    if shown is None:
        return None
    more = await tx.row(_MORE, reader=reader_id)
    assert more is not None
    sends = await sends_of_reader(tx, reader_id, before=None, most=MOST_MAILS)
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
            for one in await block_history(tx, shown.reader.email)
        ],
        "mails": [{"at": iso(one.at), "subject": one.subject, "state": one.state} for one in sends],
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
        "access": [
            {
                "plan": plan.plan,
                "source": plan.source,
                "from": iso(plan.starts_at),
                "until": iso_or_none(plan.ends_at),
            }
            for plan in shown.access
        ],
    }
