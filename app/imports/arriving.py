"""A row as readers takes it."""

from app.imports.rows import ImportedRow, Subscribed
from app.readers import LONGEST_NOTE, LONGEST_TAG, Arrival, odd_time


def arrival(row: ImportedRow, how: str, made_by: str, *, stated: bool) -> Arrival:
    """What is too long for its field, or a time that cannot be, is kept as it is in `extra`.

    `stated`: who brought the file said that those of whom it says nothing agreed to the mail; their consent
    then stands on that sentence.
    """
    extra = dict(row.extra)
    if len(row.note) > LONGEST_NOTE:
        extra["note"] = row.note
    if long := [tag for tag in row.tags if len(tag) > LONGEST_TAG]:
        extra["labels"] = ", ".join(long)
    odd = row.joined_at is not None and odd_time(row.joined_at)
    if odd and row.joined_at:
        extra["joined_at"] = row.joined_at.isoformat()
    lifted = stated and row.says_nothing
    return Arrival(
        number=row.number,
        email=row.email,
        name=row.name,
        state="active" if lifted else row.state,
        tags=tuple(tag for tag in row.tags if len(tag) <= LONGEST_TAG),
        note=row.note[:LONGEST_NOTE],
        joined_at=None if odd else row.joined_at,
        extra=extra,
        block=row.block,
        newsletters=_newsletters(row),
        how=f"{how}; {made_by} stated that they agreed to get it" if lifted else None,
    )


def _newsletters(row: ImportedRow) -> dict[str, Subscribed] | None:
    """Another row of the file may have told that they left: then they left all of them."""
    if row.newsletters is None:
        return None
    left = row.state == "unsubscribed"
    return {slug: "unsubscribed" if left else state for slug, state in row.newsletters.items()}
