"""Announcing: what happened is an event, written in the transaction of the change itself (W1)."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from msgspec import Struct

from app.base import ids
from app.base.database import Tx
from app.jobs import Backoff, enqueue, job
from app.webhooks.catalogue import TYPES

#: Of an account one after the other: each numbers what the ones before it did not see.
LANE = "events"
EVENT_TYPES = frozenset(TYPES)

_HEARD = "select exists (select from endpoint where account_id = :account and deleted_at is null)"
_ANNOUNCE = """
insert into event (account_id, webhook_id, type, data, release, reader_id, once)
select :account, n.webhook_id, n.type, n.data, n.release, n.reader, n.once
from jsonb_to_recordset(cast(:events as jsonb))
    as n(place integer, webhook_id text, type text, data jsonb, release bigint, reader uuid, once text)
where exists (select from endpoint where account_id = :account and deleted_at is null)
order by n.place
on conflict (account_id, once) where once is not null do nothing
"""


@job("fan_out", queue="webhooks", tries=100, backoff=Backoff(first=1, most=60))
@dataclass(frozen=True)
class FanOut:
    """Number what was announced in this account, and make its deliveries."""


@dataclass(frozen=True)
class News:
    """Something to announce. `data` is what the API shows, its representations as they are; `reader` whom it
    tells about. `once`: announced with the same word again, nothing is written. `release`: its number, of
    `release.published`: on the way to an endpoint the newer takes the older's place (E7)."""

    type: str
    data: dict[str, Any] | Struct
    release: int | None = None
    reader: UUID | None = None
    once: str | None = None


async def heard(tx: Tx) -> bool:
    """Whether anybody could hear an event of this account: it has a webhook, also one paused or off."""
    return bool(await tx.value(_HEARD, account=tx.account_id))


async def announce(tx: Tx, *news: News) -> None:
    """Say what happened, in the order given and in the transaction in which it does: undone together (W1).

    Nothing is written while the account has no webhook.
    """
    assert tx.account_id is not None, "an event belongs to an account"
    strange = {one.type for one in news} - EVENT_TYPES
    assert not strange, f"{strange} stand in no catalogue"
    events = [{"place": n, "webhook_id": new_webhook_id(), **vars(one)} for n, one in enumerate(news)]
    if events and await tx.execute(_ANNOUNCE, account=tx.account_id, events=events):
        await enqueue(tx, FanOut(), lane=LANE)


def new_webhook_id() -> str:
    """What a receiver knows an event by, on every attempt: the header `webhook-id`."""
    return f"evt_{ids.new().hex}"
