"""Changing one reader: name, note, tags, newsletters."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from app.base.database import Tx
from app.base.errors import Conflict, Invalid, NotFound, Problem
from app.readers.additions import set_tags
from app.readers.subscriptions import ONLY_THE_READER, Consent, rearrange


@dataclass(frozen=True)
class Change:
    """What to change; None leaves it. `newsletters` are all that the reader shall get afterwards."""

    name: str | None = None
    note: str | None = None
    tags: tuple[str, ...] | None = None
    newsletters: tuple[UUID, ...] | None = None
    consent: Consent | None = None


_SUBSCRIPTIONS = "select newsletter_id, state from subscription where reader_id = :id"


async def change_reader(tx: Tx, reader_id: UUID, change: Change, how: str) -> None:
    """Apply a change; `how` says who unsubscribed them, for the consent history.

    Raises NotFound, Invalid naming `consent` when a newsletter is new and nobody says that the reader agreed,
    and Conflict when the reader had unsubscribed from it.
    """
    found = await tx.value(
        "update reader set name = coalesce(cast(:name as text), name),"
        " note = coalesce(cast(:note as text), note) where id = :id returning id",
        id=reader_id,
        name=change.name,
        note=change.note,
    )
    if found is None:
        raise NotFound("There is no such reader.")
    if change.tags is not None:
        await set_tags(tx, reader_id, change.tags)
    if change.newsletters is not None:
        await _set_newsletters(tx, reader_id, set(change.newsletters), change.consent, how)


async def _set_newsletters(
    tx: Tx, reader_id: UUID, wanted: set[UUID], consent: Consent | None, how: str
) -> None:
    rows = await tx.rows(_SUBSCRIPTIONS, id=reader_id)
    state = {row.newsletter_id: row.state for row in rows}
    if consent is None:
        _refuse_new(wanted, state)
    await rearrange(
        tx,
        reader_id,
        join=sorted(wanted) if consent else (),
        leave=sorted(set(state) - wanted),
        consent=consent,
        how=how,
    )


def _refuse_new(wanted: set[UUID], state: Mapping[UUID, str]) -> None:
    """Raises Invalid and Conflict: nobody says that they agreed to what they do not get."""
    for newsletter_id in sorted(wanted):
        if state.get(newsletter_id) == "unsubscribed":
            raise Conflict(ONLY_THE_READER)
        if newsletter_id not in state:
            raise Invalid(
                [Problem("consent", "Say where and when the reader agreed to the newsletter: {source, at}.")]
            )
