"""Numbering: an event gets its number in its account and the bytes that every delivery of it sends."""

from collections.abc import Sequence
from datetime import UTC
from typing import Any

import msgspec

from app.base.database import Tx

_NUMBERS = """
insert into event_counter (account_id, newest) values (:account, :n)
on conflict (account_id) do update set newest = event_counter.newest + excluded.newest
returning newest, (select slug from account where id = :account) as slug
"""
_FREEZE = """
update event e set sequence = f.sequence, body = f.body
from unnest(cast(:ids as bigint[]), cast(:sequences as bigint[]), cast(:bodies as bytea[]))
    as f(id, sequence, body)
where e.account_id = :account and e.id = f.id and e.sequence is null
"""


async def number(tx: Tx, events: Sequence[Any]) -> None:
    """Give these events (id, type, data, created_at) the next numbers, in this order, and freeze their bytes.

    Whoever numbers holds the account's counter until the commit: no number is given twice, none is left out.
    """
    counter = await tx.row(_NUMBERS, account=tx.account_id, n=len(events))
    sequences = range(counter.newest - len(events) + 1, counter.newest + 1)
    bodies = [_body(event, counter.slug, sequence) for event, sequence in zip(events, sequences, strict=True)]
    frozen = await tx.execute(
        _FREEZE,
        account=tx.account_id,
        ids=[event.id for event in events],
        sequences=list(sequences),
        bodies=bodies,
    )
    assert frozen == len(events), "an event was numbered beside the account's counter"


def _body(event: Any, slug: str, sequence: int) -> bytes:
    """The bytes that are signed and sent, on every attempt the same (W2)."""
    at = event.created_at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return msgspec.json.encode(
        {
            "type": event.type,
            "timestamp": at,
            "account": slug,
            "sequence": sequence,
            "data": event.data,
        }
    )
