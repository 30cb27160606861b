"""Endpoints: where an account's events go. Their jobs follow their state (`FollowEndpoint`)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from app.base import ids
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, NotFound
from app.base.settings import settings
from app.jobs import enqueue, job
from app.webhooks.catalogue import ALL
from app.webhooks.given import chosen_once, problems_of
from app.webhooks.orders import order_newest
from app.webhooks.secrets import SecretLine, add_secret, replace_secret, secret_lines
from app.webhooks.states import EndpointState, before

#: Webhooks of one account.
MOST_ENDPOINTS = 50

_ADD_ALONE = "select pg_advisory_xact_lock(hashtextextended('endpoints of ' || :account, 0))"
_COUNT = "select count(*) from endpoint where account_id = :account and deleted_at is null"
_ADD = """
insert into endpoint (account_id, id, url, description, events)
values (:account, :id, :url, :description, cast(:events as text[]))
on conflict do nothing
"""
_ENDPOINTS = """
select p.id, p.url, p.description, p.events, p.state, p.reason, p.created_at, p.failures, p.failing_since,
       (select j.finished_at from job j
        where j.account_id = p.account_id and j.queue = 'webhooks' and j.share = 'endpoint:' || p.id
          and j.state = 'done'
        order by j.id desc limit 1) as last_delivered_at
from endpoint p
where p.account_id = :account and p.deleted_at is null
  and (cast(:id as uuid) is null or p.id = cast(:id as uuid))
order by p.created_at, p.id
"""
_CHANGE = """
update endpoint set url = coalesce(cast(:url as text), url),
    description = coalesce(cast(:description as text), description),
    events = coalesce(cast(:events as text[]), events)
where account_id = :account and id = :id and deleted_at is null
"""
# Another address begins anew, and so does who switches it on again: failures before, and those of calls that
# are still out, are not counted on.
_ANEW = "era = era + 1, failures = 0, failing_since = null, unheard = 0, unheard_since = null"
_MOVED = f"update endpoint set {_ANEW} where account_id = :account and id = :id and url <> :url"
_STATE = f"""
update endpoint set state = :state, reason = null, {_ANEW}
where account_id = :account and id = :id and deleted_at is null and state = any (cast(:before as text[]))
"""
_DELETE = """
update endpoint set deleted_at = godwit_now()
where account_id = :account and id = :id and deleted_at is null
"""
_FORGET = "delete from endpoint_secret where account_id = :account and endpoint_id = :id"
_HELD = """
select exists (select from job where account_id = :account and queue = 'webhooks'
               and share = 'endpoint:' || cast(:id as text) and state = 'held')
"""
_STATE_NOW = """
select state from endpoint where account_id = :account and id = :id and deleted_at is null
"""


@job("follow_endpoint", queue="webhooks")
@dataclass(frozen=True)
class FollowEndpoint:
    """What waits for the endpoint follows its state: held, let go, or discarded."""

    endpoint_id: UUID


@dataclass(frozen=True)
class NewEndpoint:
    """An endpoint to add. `events`: types, or `*` for all. `id`: so that asking twice adds one."""

    url: str
    events: Sequence[str] = (ALL,)
    description: str = ""
    id: UUID | None = None


@dataclass(frozen=True)
class Endpoint:
    """An endpoint as pages and API tell it. `failures`: tries in a row that failed, since `failing_since`."""

    id: UUID
    url: str
    description: str
    events: tuple[str, ...]
    state: str
    reason: str | None
    created_at: datetime
    failures: int
    failing_since: datetime | None
    last_delivered_at: datetime | None
    secrets: tuple[SecretLine, ...] = field(default=())


async def endpoints(tx: Tx) -> list[Endpoint]:
    """The account's endpoints, oldest first."""
    return await _read(tx, None)


async def endpoint_if_there(tx: Tx, endpoint_id: UUID) -> Endpoint | None:
    """One endpoint; None when this account has none of that id, or deleted it."""
    found = await _read(tx, endpoint_id)
    return found[0] if found else None


async def add_endpoint(tx: Tx, new: NewEndpoint) -> tuple[Endpoint, str]:
    """Add an endpoint; answers it and its secret, which is shown this once. It hears what comes from now on.

    The address is looked at by the caller (vetting). Raises Invalid, and Conflict for an id that is known.
    """
    if problems := problems_of(new.url, new.events, new.description):
        raise Invalid(problems)
    await tx.execute(_ADD_ALONE, account=str(tx.account_id))
    if await tx.value(_COUNT, account=tx.account_id) >= MOST_ENDPOINTS:
        raise Conflict(
            f"There are {MOST_ENDPOINTS} webhooks, as many as one publication may have. Delete one."
        )
    added = new.id or ids.new()
    if not await tx.execute(
        _ADD,
        account=tx.account_id,
        id=added,
        url=new.url,
        description=new.description,
        events=chosen_once(new.events),
    ):
        raise Conflict(
            "This webhook was added already. Its secret was shown then; make a new one if it is lost."
        )
    secret = await add_secret(tx, added)
    return await endpoint(tx, added), secret


async def change_endpoint(
    tx: Tx,
    endpoint_id: UUID,
    *,
    url: str | None = None,
    description: str | None = None,
    events: Sequence[str] | None = None,
) -> Endpoint:
    """Change what is given; what waits goes to the new address. Raises NotFound, Invalid."""
    if problems := problems_of(url, events, description):
        raise Invalid(problems)
    if url is not None:
        await tx.execute(_MOVED, account=tx.account_id, id=endpoint_id, url=url)
    await tx.execute(
        _CHANGE,
        account=tx.account_id,
        id=endpoint_id,
        url=url,
        description=description,
        events=None if events is None else chosen_once(events),
    )
    return await endpoint(tx, endpoint_id)


async def pause_endpoint(tx: Tx, endpoint_id: UUID) -> Endpoint:
    """Call it no more until it is resumed; what happens is kept for it. Raises NotFound, Conflict."""
    return await _move(tx, endpoint_id, EndpointState.PAUSED)


async def resume_endpoint(tx: Tx, endpoint_id: UUID) -> Endpoint:
    """Call it again, also one that switched itself off; what waited goes now, also of one that was on. Raises
    NotFound."""
    return await _move(tx, endpoint_id, EndpointState.ACTIVE)


async def delete_endpoint(tx: Tx, endpoint_id: UUID) -> None:
    """Delete it with its secrets: it is not called any more; its deliveries stay. Raises NotFound."""
    if not await tx.execute(_DELETE, account=tx.account_id, id=endpoint_id):
        raise _no_such()
    await tx.execute(_FORGET, account=tx.account_id, id=endpoint_id)
    await followed(tx, endpoint_id)


async def rotate_secret(tx: Tx, endpoint_id: UUID, overlap_hours: int, *, newest: UUID | None = None) -> str:
    """A new secret, shown this once; those before it sign too for `overlap_hours` at most (0: no more).

    `newest`: the secret that the caller has seen. Raises NotFound, Invalid, Conflict when it is another now.
    """
    found = await alone(tx, endpoint_id)
    secret = await replace_secret(tx, endpoint_id, overlap_hours, newest)
    if found.state == "active":
        await _let_go(tx, endpoint_id)
    return secret


async def endpoint(tx: Tx, endpoint_id: UUID) -> Endpoint:
    """One endpoint. Raises NotFound."""
    found = await endpoint_if_there(tx, endpoint_id)
    if found is None:
        raise _no_such()
    return found


async def alone(tx: Tx, endpoint_id: UUID) -> Endpoint:
    """The endpoint, which nobody else changes before this transaction ends. Raises NotFound."""
    await tx.execute(f"{_STATE_NOW} for no key update", account=tx.account_id, id=endpoint_id)
    return await endpoint(tx, endpoint_id)


async def followed(tx: Tx, endpoint_id: UUID, *, resumed: bool = False) -> None:
    """Have what waits follow the endpoint's new state.

    Resumed: a second time when every lease of now is over, as what is in hand may yet be held.
    """
    await enqueue(tx, FollowEndpoint(endpoint_id))
    if not resumed:
        return
    later = await tx.value("select godwit_now()") + timedelta(seconds=settings().sending.lease + 5)
    await enqueue(tx, FollowEndpoint(endpoint_id), run_at=later)


async def _let_go(tx: Tx, endpoint_id: UUID) -> None:
    if await tx.value(_HELD, account=tx.account_id, id=str(endpoint_id)):
        await followed(tx, endpoint_id)


async def _move(tx: Tx, endpoint_id: UUID, state: EndpointState) -> Endpoint:
    now = await tx.value(f"{_STATE_NOW} for update", account=tx.account_id, id=endpoint_id)
    if now is None:
        raise _no_such()
    if now != state:
        whose = {"account": tx.account_id, "id": endpoint_id}
        if not await tx.execute(_STATE, **whose, state=state, before=before(state)):
            raise Conflict("This webhook is switched off: it is not called. Switch it on, or leave it so.")
        await followed(tx, endpoint_id, resumed=state == EndpointState.ACTIVE)
        if now == EndpointState.DISABLED:
            await order_newest(tx, endpoint_id)
    elif state == EndpointState.ACTIVE:
        await _let_go(tx, endpoint_id)
    return await endpoint(tx, endpoint_id)


async def _read(tx: Tx, endpoint_id: UUID | None) -> list[Endpoint]:
    rows: list[Any] = await tx.rows(_ENDPOINTS, account=tx.account_id, id=endpoint_id)
    secrets = await secret_lines(tx, [row.id for row in rows])
    return [
        Endpoint(
            row.id, row.url, row.description, tuple(row.events), *row[4:], secrets=secrets.get(row.id, ())
        )
        for row in rows
    ]


def _no_such() -> NotFound:
    return NotFound("There is no such webhook. It may have been deleted.")
