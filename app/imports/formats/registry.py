"""Which formats can be read. Another one joins by its module's name in FORMATS."""

from collections.abc import Sequence
from typing import Protocol

from app.imports.formats import ghost
from app.imports.rows import ImportedRow
from app.imports.uploads import RawRow, UploadError


class Format(Protocol):
    """What a module of this package holds for the registry."""

    name: str
    """As `?format=` and the imports table have it."""
    title: str
    required: tuple[str, ...]
    """Columns without which it is not this format, lower-case."""
    columns: tuple[str, ...]

    def matches(self, headers: Sequence[str]) -> bool: ...

    def read_row(self, raw: RawRow) -> ImportedRow: ...


FORMATS: dict[str, Format] = {ghost.name: ghost}
"""Asked in this order by `detect`: the first that matches it is."""


def detect(headers: Sequence[str]) -> str | None:
    """The format that has these columns, or None."""
    return next((name for name, known in FORMATS.items() if known.matches(headers)), None)


def format_for(wanted: str, headers: Sequence[str]) -> Format:
    """The format named, or for `auto` the one detected.

    Raises UploadError naming what was expected and what was found.
    """
    if wanted != "auto" and wanted not in FORMATS:
        raise UploadError(
            f"Godwit cannot read the format “{wanted}” yet. It reads: {', '.join(FORMATS)}, auto."
        )
    found = detect(headers) if wanted == "auto" else wanted
    if found and FORMATS[found].matches(headers):
        return FORMATS[found]
    raise UploadError(_mismatch(headers, [FORMATS[wanted]] if wanted != "auto" else list(FORMATS.values())))


def _mismatch(headers: Sequence[str], expected: Sequence[Format]) -> str:
    found = f"Found: {_listed(headers)}."
    if any("@" in header for header in headers):
        return (
            "The first line holds an address where the column names should be."
            f" Put a line like {','.join(expected[0].required)} above it. {found}"
        )
    have = {header.casefold() for header in headers}
    if not any("mail" in header for header in have):
        lead = "The file has no column with addresses."
    else:
        titles = " or ".join(f"a {known.title}" for known in expected)
        lead = f"This is not {titles}."
    needs = "; or ".join(
        f"{', '.join(known.required)} (missing: {', '.join(c for c in known.required if c not in have)})"
        for known in expected
    )
    return f"{lead} Expected columns: {needs}. {found} Export the members again, or rename the columns."


def _listed(headers: Sequence[str]) -> str:
    shown = ", ".join(header[:40] for header in headers[:12])
    return f"{shown} and {len(headers) - 12} more" if len(headers) > 12 else shown
