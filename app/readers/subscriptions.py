"""Subscribing and unsubscribing one reader; every change leaves a row of consent history, and is an event.

So does what changes nothing, where an import said the last word: it is theirs from then on, and stands when
the import is undone. That is no event: nothing changed.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.base.database import Tx
from app.base.errors import Conflict
from app.readers.announcing import Moved, tell_moved
from app.suppressions import recall

ONLY_THE_READER = "This reader unsubscribed from that newsletter. Only the reader can subscribe again."


@dataclass(frozen=True)
class Consent:
    """What a subscription stands on: where the reader agreed (a sentence), and when (None: now)."""

    source: str
    at: datetime | None = None


_SUBSCRIBE = """
with subscribed as (
    insert into subscription as s (account_id, reader_id, newsletter_id, state, consent_source, consent_at)
    values (:account, :reader, :newsletter, 'active', :source,
            coalesce(cast(:at as timestamptz), godwit_now()))
    on conflict (account_id, reader_id, newsletter_id) do update
        set state = 'active', consent_source = excluded.consent_source, consent_at = excluded.consent_at,
            changed_at = godwit_now()
        where s.state = 'pending'
    returning consent_at
), noted as (
    insert into consent (account_id, reader_id, newsletter_id, act, how, at)
    select :account, :reader, :newsletter, 'subscribed', :source, consent_at from subscribed
    union all
    select account_id, reader_id, newsletter_id, 'subscribed', cast(:source as text),
           coalesce(cast(:at as timestamptz), godwit_now())
    from subscription s
    where account_id = :account and reader_id = :reader and newsletter_id = :newsletter and state = 'active'
      and last_said_by_import(account_id, reader_id, newsletter_id)
)
select true from subscribed
"""
_UNSUBSCRIBE = """
with left_now as (
    update subscription set state = 'unsubscribed', changed_at = godwit_now()
    where reader_id = any (cast(:readers as uuid[])) and state <> 'unsubscribed'
      and (cast(:newsletters as uuid[]) is null or newsletter_id = any (cast(:newsletters as uuid[])))
    returning account_id, reader_id, newsletter_id, changed_at
), noted as (
    insert into consent (account_id, reader_id, newsletter_id, act, how, at)
    select account_id, reader_id, newsletter_id, 'unsubscribed', cast(:how as text), changed_at from left_now
    union all
    select account_id, reader_id, newsletter_id, 'unsubscribed', cast(:how as text), godwit_now()
    from subscription
    where reader_id = any (cast(:readers as uuid[])) and state = 'unsubscribed'
      and (cast(:newsletters as uuid[]) is null or newsletter_id = any (cast(:newsletters as uuid[])))
      and last_said_by_import(account_id, reader_id, newsletter_id)
)
select reader_id, newsletter_id from left_now
"""
_SUBSCRIBE_ONESELF = """
with subscribed as (
    insert into subscription as s (account_id, reader_id, newsletter_id, state, consent_source, consent_at)
    values (:account, :reader, :newsletter, 'active', :how, godwit_now())
    on conflict (account_id, reader_id, newsletter_id) do update
        set state = 'active', consent_source = excluded.consent_source, consent_at = excluded.consent_at,
            changed_at = godwit_now()
        where s.state <> 'active'
    returning account_id, reader_id, newsletter_id
), noted as (
    insert into consent (account_id, reader_id, newsletter_id, act, how)
    select account_id, reader_id, newsletter_id, 'confirmed', cast(:how as text) from subscribed
    union all
    select account_id, reader_id, newsletter_id, 'confirmed', cast(:how as text) from subscription
    where account_id = :account and reader_id = :reader and newsletter_id = :newsletter and state = 'active'
      and last_said_by_import(account_id, reader_id, newsletter_id)
)
select true from subscribed
"""
_STATE = "select state from subscription where reader_id = :reader and newsletter_id = :newsletter"


async def subscribe(tx: Tx, reader_id: UUID, newsletter_id: UUID, consent: Consent) -> bool:
    """Subscribe a reader who agreed. False when subscribed already.

    Raises Conflict when the reader unsubscribed: only the reader can take that back (R2).
    """
    return bool(await subscribe_to(tx, reader_id, [newsletter_id], consent))


async def subscribe_to(
    tx: Tx, reader_id: UUID, newsletters: Collection[UUID], consent: Consent
) -> list[UUID]:
    """The same for several newsletters, told as one event; answers those that are new. Raises Conflict."""
    return await rearrange(tx, reader_id, join=newsletters, leave=(), consent=consent, how="")


async def rearrange(
    tx: Tx,
    reader_id: UUID,
    *,
    join: Collection[UUID],
    leave: Collection[UUID],
    consent: Consent | None,
    how: str,
) -> list[UUID]:
    """Subscribe to some and unsubscribe from others in one go; answers those newly subscribed to.

    `consent` None: by the reader's own word, which lifts their unsubscribe (R2). `how` is a sentence for the
    history. Raises Conflict as `subscribe`.
    """
    left = await _leave(tx, [reader_id], leave, how) if leave else []
    joined: list[UUID] = []
    if join:
        await _recall(tx, reader_id)
    for one in dict.fromkeys(join):
        came = await (
            _join(tx, reader_id, one, consent) if consent else _join_oneself(tx, reader_id, one, how)
        )
        if came:
            joined.append(one)
    act = "subscribed" if consent else "confirmed"
    await tell_moved(tx, {act: [(reader_id, one) for one in joined], "unsubscribed": left})
    return joined


async def unsubscribe(tx: Tx, reader_id: UUID, newsletter_id: UUID | None, how: str) -> list[UUID]:
    """Unsubscribe from one newsletter, or with None from all; `how` is a sentence for the history.

    Answers the newsletters left by this call: none when it had been done before.
    """
    left = await _leave(tx, [reader_id], None if newsletter_id is None else [newsletter_id], how)
    await tell_moved(tx, {"unsubscribed": left})
    return [newsletter for _, newsletter in left]


async def unsubscribe_many(tx: Tx, reader_ids: Sequence[UUID], newsletter_id: UUID | None, how: str) -> int:
    """The same for many in one statement, told reader by reader; answers how many of them left anything."""
    left = await _leave(tx, reader_ids, None if newsletter_id is None else [newsletter_id], how)
    await tell_moved(tx, {"unsubscribed": left})
    return len({reader for reader, _ in left})


async def _recall(tx: Tx, reader_id: UUID) -> None:
    """The block of whoever was erased and asked to come back holds, also once they are subscribed."""
    email = await tx.value("select email from reader where id = :reader", reader=reader_id)
    await recall(tx, [email] if email else [])


async def _join(tx: Tx, reader_id: UUID, newsletter_id: UUID, consent: Consent) -> bool:
    done = await tx.value(
        _SUBSCRIBE,
        account=tx.account_id,
        reader=reader_id,
        newsletter=newsletter_id,
        source=consent.source,
        at=consent.at,
    )
    if done:
        return True
    if await tx.value(_STATE, reader=reader_id, newsletter=newsletter_id) == "unsubscribed":
        raise Conflict(ONLY_THE_READER)
    return False


async def _join_oneself(tx: Tx, reader_id: UUID, newsletter_id: UUID, how: str) -> bool:
    done = await tx.value(
        _SUBSCRIBE_ONESELF, account=tx.account_id, reader=reader_id, newsletter=newsletter_id, how=how
    )
    return bool(done)


async def _leave(tx: Tx, readers: Sequence[UUID], newsletters: Collection[UUID] | None, how: str) -> Moved:
    rows = await tx.rows(
        _UNSUBSCRIBE,
        readers=list(readers),
        newsletters=None if newsletters is None else list(newsletters),
        how=how,
    )
    return [(row.reader_id, row.newsletter_id) for row in rows]
