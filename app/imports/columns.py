"""The page on which a person says what the columns of their file mean."""

import asyncio
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from app.base.database import Tx
from app.base.errors import Invalid, NotFound, Problem
from app.imports.formats import FIELDS, guessed
from app.imports.formats.table import table_of
from app.imports.queries import waiting_file
from app.imports.uploads import UploadError, open_upload

SHOWN_ROWS = 3
LONGEST_SHOWN = 60
LABELS = {
    "email": "Address",
    "name": "Name",
    "first_name": "First name",
    "last_name": "Last name",
    "state": "Subscribed or not",
    "tags": "Tags",
    "note": "Note",
    "joined_at": "Joined on",
}


@dataclass(frozen=True)
class Column:
    """A column of the file and what stands in its first rows."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class ColumnsForm:
    """What may be chosen: field, label, the column that is chosen now."""

    columns: tuple[Column, ...]
    fields: tuple[tuple[str, str, str], ...]
    stated: bool
    problems: tuple[Problem, ...]

    @property
    def choices(self) -> list[tuple[str, str]]:
        """For a select: (value, words)."""
        return [("", "– none of them"), *((one.name, one.name) for one in self.columns)]


async def columns_form(
    tx: Tx,
    import_id: UUID,
    chosen: dict[str, str] | None = None,
    *,
    stated: bool = False,
    problems: tuple[Problem, ...] = (),
) -> ColumnsForm:
    """The form as guessed, or as it was sent. Raises NotFound when the import waits for nothing."""
    content = await waiting_file(tx, import_id)
    if content is None:
        raise NotFound("This import does not wait for its columns any more.")
    columns = await asyncio.to_thread(_columns, content)
    picked = guessed([one.name for one in columns]) if chosen is None else chosen
    fields = tuple((field, LABELS[field], picked.get(field, "")) for field in FIELDS)
    return ColumnsForm(columns, fields, stated, problems)


def checked_mapping(form: ColumnsForm, chosen: dict[str, str]) -> dict[str, str]:
    """The mapping as it is kept. Raises Invalid naming `email` or the whole form."""
    mapping = {field: column for field, column in chosen.items() if column}
    try:
        table_of([one.name for one in form.columns], mapping)
    except UploadError as error:
        raise Invalid([Problem("email", error.detail)]) from error
    return mapping


def _columns(content: bytes) -> tuple[Column, ...]:
    upload = open_upload(content)
    rows = list(islice(upload.rows(), SHOWN_ROWS))
    return tuple(
        Column(name, tuple(row.values.get(name, "")[:LONGEST_SHOWN] for row in rows))
        for name in upload.headers
    )
