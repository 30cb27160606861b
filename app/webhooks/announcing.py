"""Announcing: what happened is an event, written in the transaction of the change itself (W1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.base import ids
from app.base.database import Tx
from app.jobs import Backoff, enqueue, job
from app.webhooks.catalogue import CHOOSABLE, TEST

#: Of an account one after the other: each numbers what the ones before it did not see.
LANE = "events"
EVENT_TYPES = frozenset({*CHOOSABLE, TEST.type})

_HEARD = "select exists (select from endpoint where account_id = :account and deleted_at is null)"
_ANNOUNCE = """
insert into event (account_id, webhook_id, type, data, release, reader_id, once)
select :account, n.webhook_id, :type, n.data, cast(:release as bigint), n.reader, n.once
from jsonb_to_recordset(cast(:events as jsonb)) as n(webhook_id text, data jsonb, reader uuid, once text)
where exists (select from endpoint where account_id = :account and deleted_at is null)
order by n.webhook_id
on conflict (account_id, once) where once is not null do nothing
"""


@job("fan_out", queue="webhooks", tries=100, backoff=Backoff(first=1, most=60))
@dataclass(frozen=True)
class FanOut:
    """Number what was announced in this account, and make its deliveries."""


async def heard(tx: Tx) -> bool:
    """Whether anybody could hear an event of this account: it has a webhook, also one paused or off."""
    return bool(await tx.value(_HEARD, account=tx.account_id))


async def announce(
    tx: Tx,
    type: str,
    data: dict[str, Any],
    *,
    release: int | None = None,
    reader: UUID | None = None,
    once: str | None = None,
) -> None:
    """Say that something happened, in the transaction in which it does: undone together (W1).

    Nothing is written while the account has no webhook. `data` is what the API shows; `reader` is whom it
    tells about. `once`: announced with the same word again, nothing is written. `release`: its number, of
    `release.published`: on the way to an endpoint the newer takes the older's place (E7).
    """
    await _write(tx, type, [(data, reader, once)], release)


async def announce_many(tx: Tx, type: str, news: Sequence[tuple[dict[str, Any], UUID | None]]) -> None:
    """Say many things of one type at once, in the order given: each with its data and whom it tells about."""
    await _write(tx, type, [(data, reader, None) for data, reader in news], None)


async def _write(
    tx: Tx, type: str, news: Sequence[tuple[dict[str, Any], UUID | None, str | None]], release: int | None
) -> None:
    assert type in EVENT_TYPES, f"{type} stands in no catalogue"
    assert tx.account_id is not None, "an event belongs to an account"
    events = [
        {"webhook_id": new_webhook_id(), "data": data, "reader": reader, "once": once}
        for data, reader, once in news
    ]
    if events and await tx.execute(
        _ANNOUNCE, account=tx.account_id, type=type, events=events, release=release
    ):
        await enqueue(tx, FanOut(), lane=LANE)


def new_webhook_id() -> str:
    """What a receiver knows an event by, on every attempt: the header `webhook-id`."""
    return f"evt_{ids.new().hex}"
