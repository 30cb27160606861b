"""Which formats can be read. Another one joins by its module's name in FORMATS."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from app.imports.formats import beehiiv, buttondown, ghost, godwit, kit, mailchimp, substack, table
from app.imports.rows import ImportedRow
from app.imports.uploads import RawRow, UploadError


class Format(Protocol):
    """What a module of this package holds for the registry."""

    @property
    def name(self) -> str:
        """As `?format=` and the imports table have it."""
        ...

    @property
    def title(self) -> str: ...

    @property
    def required(self) -> tuple[str, ...]:
        """Columns without which it is not this format, lower-case."""
        ...

    @property
    def columns(self) -> tuple[str, ...]: ...

    def matches(self, headers: Sequence[str]) -> bool: ...

    def read_row(self, raw: RawRow) -> ImportedRow: ...


FORMATS: dict[str, Format] = {
    godwit.name: godwit,
    ghost.name: ghost,
    substack.name: substack,
    mailchimp.name: mailchimp,
    beehiiv.name: beehiiv,
    buttondown.name: buttondown,
    kit.name: kit,
}
"""Asked in this order by `detect`: the first that matches it is."""
CSV = table.name


def titles() -> dict[str, str]:
    """Every format's title by its name, any CSV last."""
    return {name: known.title for name, known in FORMATS.items()} | {CSV: table.title}


def detect(headers: Sequence[str]) -> str | None:
    """The format that has these columns, `csv` where one is called as addresses are, or None."""
    known = next((name for name, known in FORMATS.items() if known.matches(headers)), None)
    return known or (CSV if "email" in table.guessed(headers) else None)


def format_for(
    wanted: str, headers: Sequence[str], mapping: Mapping[str, str] | None = None, newsletter: str = ""
) -> Format:
    """The format named, or for `auto` the one detected; a mapping makes any table one.

    Raises UploadError naming what was expected and what was found.
    """
    if wanted not in ("auto", CSV, *FORMATS):
        raise UploadError(
            f"Godwit cannot read the format “{wanted}” yet. It reads: {', '.join(titles())}, auto."
        )
    found = CSV if mapping is not None else detect(headers) if wanted == "auto" else wanted
    if found == CSV and mapping is None and godwit.matches(headers):
        return godwit  # read as any table, its readers would all get the one newsletter that is chosen
    if found == CSV and (mapping is not None or "email" in table.guessed(headers)):
        return table.table_of(headers, mapping)
    if found in FORMATS and FORMATS[found].matches(headers):
        return FORMATS[found]
    raise UploadError(_mismatch(headers, FORMATS.get(wanted)))


def _mismatch(headers: Sequence[str], expected: Format | None) -> str:
    found = f"Found: {_listed(headers)}."
    needs = ",".join(expected.required if expected else ("email", "name"))
    if any("@" in header for header in headers):
        return (
            "The first line holds an address where the column names should be."
            f" Put a line like {needs} above it. {found}"
        )
    have = {header.casefold() for header in headers}
    if not any("mail" in header for header in have) or expected is None:
        lead = "The file has no column with addresses. Name one of them “email”."
        return f"{lead} {found}"
    missing = ", ".join(column for column in expected.required if column not in have)
    return (
        f"This is not a {expected.title}. Expected columns: {', '.join(expected.required)}"
        f" (missing: {missing}). {found} Export the readers again, or let Godwit find out what it is."
    )


def _listed(headers: Sequence[str]) -> str:
    shown = ", ".join(header[:40] for header in headers[:12])
    return f"{shown} and {len(headers) - 12} more" if len(headers) > 12 else shown
