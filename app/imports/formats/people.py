"""What every format does alike with a row: its cells by known names, the address read, the rest kept."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.base.addresses import AddressError, canonical
from app.imports.formats.cells import moment, one_line, without_guard
from app.imports.rows import Block, ImportedRow, PaidFor, State, Subscribed
from app.imports.uploads import RawRow
from app.readers import LONGEST_NAME

NO_ADDRESS = "This row has no address. Fill in its email, or leave the row out."


@dataclass(frozen=True)
class Standing:
    """Where a person stands with the newsletter, as the file says it."""

    state: State = "pending"
    says_nothing: bool = False
    block: Block = "bounce"
    problem: str | None = None


ACTIVE, UNSUBSCRIBED, PENDING = Standing("active"), Standing("unsubscribed"), Standing("pending")
SAYS_NOTHING = Standing("pending", says_nothing=True)
BOUNCED, COMPLAINED = Standing("suppressed", block="bounce"), Standing("suppressed", block="complaint")


@dataclass(frozen=True)
class Person:
    """What a format read of a row. `used` are the columns that need not be kept beside."""

    email: str
    standing: Standing
    used: frozenset[str]
    name: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""
    joined: str = ""
    paid: tuple[PaidFor, ...] = ()
    left_out: str | None = None
    joined_columns: frozenset[str] = field(default_factory=frozenset)
    """Kept all the same where the time cannot be read."""
    newsletters: dict[str, Subscribed] | None = None
    """Where the file tells newsletters apart."""


def cells_of(raw: RawRow, known: Iterable[str]) -> dict[str, str]:
    """The cells without a spreadsheet's guard; a known column under its own name, others as written."""
    names = {name.casefold(): name for name in known}
    return {
        names.get(header.casefold(), header): without_guard(value) for header, value in raw.values.items()
    }


def imported(raw: RawRow, cells: Mapping[str, str], person: Person) -> ImportedRow:
    """The neutral row. What is wrong with it comes back as its `problem`."""
    written, name = person.email.strip(), one_line(person.name)
    joined = moment(person.joined)
    email, refused = _address(written)
    problem = raw.problem or refused or person.left_out or person.standing.problem
    if not problem and len(name) > LONGEST_NAME:
        problem = f"The name is {len(name)} characters long; the most is {LONGEST_NAME}. Shorten it."
    used = person.used | person.joined_columns if joined else person.used - person.joined_columns
    return ImportedRow(
        number=raw.number,
        line=raw.line,
        email="" if problem else email,
        written=written,
        name=name,
        state=person.standing.state,
        says_nothing=person.standing.says_nothing,
        block=person.standing.block,
        tags=person.tags,
        note=person.note.strip(),
        joined_at=joined,
        extra={key: value for key, value in cells.items() if key not in used and value.strip()},
        paid=person.paid,
        newsletters=person.newsletters,
        problem=problem,
        left_out=bool(person.left_out) and not raw.problem and not refused,
    )


def standing_of(word: str, meanings: Mapping[str, Standing], column: str, expected: str) -> Standing:
    """The standing that a word means; blank says nothing, an unknown word fails the row.

    A guess could mail somebody who left.
    """
    said = one_line(word)
    if not said:
        return SAYS_NOTHING
    known = meanings.get(said.casefold().replace("-", "").replace("_", "").replace(" ", ""))
    return known or Standing(problem=f"{column} is “{said[:40]}”. Write {expected}.")


def has(headers: Sequence[str], *wanted: str) -> bool:
    """Whether all of these columns are there, in any capitals."""
    return set(wanted) <= {header.casefold() for header in headers}


def _address(written: str) -> tuple[str, str | None]:
    if not written:
        return "", NO_ADDRESS
    try:
        return canonical(written), None
    except AddressError as error:
        return "", error.detail
