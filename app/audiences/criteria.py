"""What a filter of readers may ask: read from an address or a stored form, and written as both.

One shape for all of them: a mapping of field to the texts given for it, as a query string has it. So a
segment is stored as the address that found it, and one reader of fields tells what is wrong in it.
"""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, cast, get_args
from uuid import UUID

from app.base.days import FIRST_DAY, LAST_DAY, in_reach
from app.base.errors import Invalid, Problem
from app.readers import LONGEST_TAG, READER_STATES, SOURCES, ReaderState, Source

#: Instead of a plan: whoever has any, or none.
Plans = Literal["any", "none"]

LONGEST_SEARCH, LONGEST_FORM = 254, 100
MOST_TAGS = 50
FIELDS = (
    *("q", "newsletter", "state", "any", "all", "none", "plan"),
    *("source", "form", "from", "until", "segment", "outside", "got"),
)


@dataclass(frozen=True)
class ReaderFilter:
    """Which readers; what is empty or None is not asked.

    `search` is a part of address or name. With `newsletter`, `state` is that of the subscription to it, and
    without a state everybody who ever had one. `joined_from` and `joined_until` are days in the account's
    zone, both within. `segment` and `outside` (those not in it) are ids of segments, whose own filters stand
    in `segment_filter` and `outside_filter` once `resolved`. `got` is an email (a broadcast's id): those to
    whom a copy of it was handed over, so that they have it or may have it.
    """

    search: str = ""
    newsletter: UUID | None = None
    state: ReaderState | None = None
    any_tags: tuple[str, ...] = ()
    all_tags: tuple[str, ...] = ()
    no_tags: tuple[str, ...] = ()
    plan: UUID | Plans | None = None
    source: Source | None = None
    form: str = ""
    joined_from: date | None = None
    joined_until: date | None = None
    segment: UUID | None = None
    outside: UUID | None = None
    got: UUID | None = None
    segment_filter: "ReaderFilter | None" = None
    outside_filter: "ReaderFilter | None" = None


EVERYBODY = ReaderFilter()


def filter_of(given: Mapping[str, Sequence[str]]) -> ReaderFilter:
    """The filter that these fields ask for; fields of other names are not ours and are left alone.

    Raises Invalid naming every field that is wrong, with what to do.
    """
    asked = _Asked(given)
    wanted = ReaderFilter(
        search=asked.text("q", LONGEST_SEARCH),
        newsletter=asked.id("newsletter", "newsletter"),
        state=asked.one_of("state", READER_STATES),
        any_tags=asked.tags("any"),
        all_tags=asked.tags("all"),
        no_tags=asked.tags("none"),
        plan=asked.plan("plan"),
        source=asked.one_of("source", SOURCES),
        form=asked.text("form", LONGEST_FORM),
        joined_from=asked.day("from"),
        joined_until=asked.day("until"),
        segment=asked.id("segment", "segment"),
        outside=asked.id("outside", "segment"),
        got=asked.id("got", "email"),
    )
    first, last = wanted.joined_from, wanted.joined_until
    if first and last and last < first:
        asked.wrong("until", f"This is before {first.isoformat()}. Turn the two days round.")
    if asked.problems:
        raise Invalid(asked.problems)
    return wanted


def fields_of(wanted: ReaderFilter) -> dict[str, str]:
    """The fields that ask for this filter, empty ones left out: `filter_of` reads them back the same."""
    texts = {
        "q": wanted.search,
        "newsletter": str(wanted.newsletter or ""),
        "state": wanted.state or "",
        "any": _joined(wanted.any_tags),
        "all": _joined(wanted.all_tags),
        "none": _joined(wanted.no_tags),
        "plan": str(wanted.plan or ""),
        "source": wanted.source or "",
        "form": wanted.form,
        "from": wanted.joined_from.isoformat() if wanted.joined_from else "",
        "until": wanted.joined_until.isoformat() if wanted.joined_until else "",
        "segment": str(wanted.segment or ""),
        "outside": str(wanted.outside or ""),
        "got": str(wanted.got or ""),
    }
    return {name: text for name, text in texts.items() if text}


def stored_filter(stored: Any) -> ReaderFilter:
    """The filter of a stored form, as `fields_of` wrote it.

    Raises Invalid, also for a field that this version does not know: leaving it out would mail too many. A
    day out of reach, as older versions took them, means the same as the first or last one.
    """
    if not isinstance(stored, Mapping) or not all(isinstance(value, str) for value in stored.values()):
        raise Invalid("A stored filter is an object of texts. Choose the readers anew and save it again.")
    if unknown := next((name for name in stored if name not in FIELDS), None):
        raise Invalid(
            f"This filter asks for {unknown!r}, which this Godwit does not know. Choose the readers anew."
        )
    return filter_of({name: [_in_reach(name, value)] for name, value in stored.items()})


@dataclass(frozen=True)
class _Asked:
    """Reads one field at a time and keeps every problem."""

    given: Mapping[str, Sequence[str]]
    problems: list[Problem] = field(default_factory=list)

    def wrong(self, name: str, message: str) -> None:
        self.problems.append(Problem(name, message))

    def text(self, name: str, most: int) -> str:
        """The last text given, trimmed."""
        value = (list(self.given.get(name, ())) or [""])[-1].strip()
        if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
            self.wrong(name, "There is a character in it that no reader has. Type it anew.")
            return ""
        if len(value) > most:
            self.wrong(name, f"This is {len(value):,} characters long; the most is {most:,}.")
        return value

    def id(self, name: str, noun: str) -> UUID | None:
        return self._read(name, UUID, f"There is no such {noun}. Choose one from the list.")

    def day(self, name: str) -> date | None:
        found = self._read(name, date.fromisoformat, "Give the day as year-month-day, such as 2027-05-31.")
        if found and not in_reach(found):
            self.wrong(name, f"Give a day in the years {FIRST_DAY:%Y} to {LAST_DAY:%Y}, such as 2027-05-31.")
            return None
        return found

    def plan(self, name: str) -> UUID | Plans | None:
        value = self.text(name, 64)
        return cast(Plans, value) if value in get_args(Plans) else self.id(name, "plan")

    def one_of(self, name: str, known: tuple[Any, ...]) -> Any:
        value = self.text(name, 64)
        if value and value not in known:
            self.wrong(name, f"There is no such {name}; choose one of {', '.join(known)}.")
        return value if value in known else None

    def tags(self, name: str) -> tuple[str, ...]:
        """Each once, in the order given; commas part them unless they stand in quotes."""
        found: dict[str, None] = {}
        for value in self.given.get(name, ()):
            if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
                self.wrong(name, "There is a character in it that no tag has. Type it anew.")
                continue
            for row in csv.reader([" ".join(value.split())], skipinitialspace=True):
                found |= dict.fromkeys(tag.strip() for tag in row if tag.strip())
        if len(found) > MOST_TAGS:
            self.wrong(name, f"These are {len(found):,} tags; the most is {MOST_TAGS}.")
        if long := next((tag for tag in found if len(tag) > LONGEST_TAG), None):
            self.wrong(name, f"“{long[:40]}…” is longer than {LONGEST_TAG} characters, as no tag is.")
        return tuple(found)

    def _read(self, name: str, read: Callable[[str], Any], message: str) -> Any:
        value = self.text(name, 64)
        try:
            return read(value) if value else None
        except ValueError:
            self.wrong(name, message)
            return None


def _in_reach(name: str, stored: str) -> str:
    if name not in ("from", "until"):
        return stored
    try:
        return max(FIRST_DAY, min(LAST_DAY, date.fromisoformat(stored))).isoformat()
    except ValueError:
        return stored


def _joined(tags: tuple[str, ...]) -> str:
    if not tags:
        return ""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(tags)
    return line.getvalue()
