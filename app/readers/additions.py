"""Adding one reader. One address is one reader, also when two add it at the same instant (R1)."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.base import ids
from app.base.database import Tx
from app.base.errors import Conflict
from app.readers.erasure import erased_when
from app.readers.states import Source
from app.readers.subscriptions import Consent, subscribe_to
from app.suppressions import recall

#: Characters.
LONGEST_NAME, LONGEST_NOTE, LONGEST_TAG = 200, 5000, 191


@dataclass(frozen=True)
class NewReader:
    """A reader to add. `email` is canonical; they agreed to each of `newsletters`."""

    email: str
    newsletters: tuple[UUID, ...]
    consent: Consent
    source: Source
    name: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Added:
    """`created` is False when the address was a reader before: then nothing was changed."""

    reader_id: UUID
    created: bool


_INSERT = """
insert into reader (account_id, id, email, name, note, source)
values (:account, :id, :email, :name, :note, :source)
on conflict (account_id, email) do nothing
returning id
"""


async def add_reader(tx: Tx, new: NewReader) -> Added:
    """Add a reader, subscribed at once; one who exists is left exactly as is.

    Raises Conflict when the address was erased, unless that consent is told with a time after it.
    """
    await _refuse_erased(tx, new.email, new.consent.at)
    await recall(tx, [new.email])
    made = await tx.value(
        _INSERT,
        account=tx.account_id,
        id=ids.new(),
        email=new.email,
        name=new.name,
        note=new.note,
        source=new.source,
    )
    if made is None:
        there = await tx.value("select id from reader where email = :email", email=new.email)
        if there is None:
            raise Conflict("This reader was erased just now. Try again.")
        return Added(there, created=False)
    await set_tags(tx, made, new.tags)
    await subscribe_to(tx, made, new.newsletters, new.consent)
    return Added(made, created=True)


async def set_tags(tx: Tx, reader_id: UUID, tags: tuple[str, ...]) -> bool:
    """Make these exactly the reader's tags. Answers whether anything changed."""
    gone = await tx.execute(
        "delete from reader_tag where reader_id = :reader and tag <> all (cast(:tags as text[]))",
        reader=reader_id,
        tags=list(tags),
    )
    new = await tx.execute(
        "insert into reader_tag (account_id, reader_id, tag)"
        " select cast(:account as bigint), cast(:reader as uuid), tag"
        " from unnest(cast(:tags as text[])) as given (tag) on conflict do nothing",
        account=tx.account_id,
        reader=reader_id,
        tags=list(tags),
    )
    return gone + new > 0


async def _refuse_erased(tx: Tx, email: str, consented_at: datetime | None) -> None:
    """Only their own word brings back who was erased: a confirmation, or a consent told with its time."""
    erased_at = await erased_when(tx, email)
    if erased_at is None or (consented_at and consented_at > erased_at):
        return
    raise Conflict(
        f"A reader of this address was erased on request, on {erased_at:%d %B %Y}. Only they themselves can"
        " come back: by subscribing, or by a consent they gave since then, told with its time (consent.at)."
    )
