"""What people and programs give of a reader, checked field by field before anything is done."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from uuid import UUID

from app.base import clock
from app.base.addresses import AddressError, canonical
from app.base.database import Tx
from app.base.days import FIRST_DAY
from app.base.errors import Invalid, Problem
from app.base.fields import one_line, scrub
from app.readers.additions import LONGEST_NAME, LONGEST_NOTE, LONGEST_TAG
from app.readers.streams import default_newsletter, newsletters_by_slug

LONGEST_SOURCE = 500
MOST_TAGS = 100
#: When a reader can have agreed: no earlier, and no later than now but for clocks that differ.
EARLIEST, AHEAD = datetime.combine(FIRST_DAY, time(), UTC), timedelta(days=1)


def odd_time(at: datetime) -> str:
    """What is wrong with a time at which a reader is said to have agreed or joined; '' for nothing."""
    if at > clock.now() + AHEAD:
        return f"{at:%d %B %Y} is yet to come. Give the time when the reader agreed."
    if at < EARLIEST:
        return (
            f"{at:%d %B} {at.year} is before anybody agreed to email. Give the time when the reader agreed."
        )
    return ""


@dataclass
class Checked:
    """Collects every problem; each method answers the value as it is kept."""

    problems: list[Problem] = field(default_factory=list)

    def email(self, given: str) -> str:
        """A canonical address, '' when it is none."""
        try:
            return canonical(given)
        except AddressError as error:
            self.problems.append(Problem("email", error.detail))
            return ""

    def name(self, given: str) -> str:
        """On one line."""
        self._kept("name", given)
        name = one_line(given)
        if len(name) > LONGEST_NAME:
            self.wrong("name", f"The name is {len(name)} characters long; the most is {LONGEST_NAME}.")
        return name

    def note(self, given: str) -> str:
        """Lines stay."""
        self._kept("note", given)
        if len(given) > LONGEST_NOTE:
            self.wrong("note", f"The note is {len(given):,} characters long; the most is {LONGEST_NOTE:,}.")
        return scrub(given).strip()

    def tags(self, given: Sequence[str]) -> tuple[str, ...]:
        """Each once, whatever its capitals; blank ones are left out."""
        found: dict[str, str] = {}
        for tag in given:
            self._kept("tags", tag)
            if kept := " ".join(one_line(tag).split()):
                found.setdefault(kept.casefold(), kept)
        if long := next((tag for tag in found.values() if len(tag) > LONGEST_TAG), None):
            self.wrong("tags", f"“{long[:40]}…” is longer than {LONGEST_TAG} characters.")
        if len(found) > MOST_TAGS:
            self.wrong("tags", f"{len(found):,} tags were given; the most is {MOST_TAGS}.")
        return tuple(found.values())

    def consent_source(self, given: str) -> str:
        """A sentence for the consent history."""
        self._kept("consent.source", given)
        source = one_line(given)
        if not source:
            self.wrong("consent.source", "Say where the reader agreed, such as “the form at the fair”.")
        if len(source) > LONGEST_SOURCE:
            self.wrong(
                "consent.source", f"It is {len(source):,} characters long; the most is {LONGEST_SOURCE}."
            )
        return source

    def consent_at(self, given: datetime | None) -> datetime | None:
        """In UTC; a time that the calendar has only in its own zone cannot be kept."""
        try:
            at = given.astimezone(UTC) if given else None
        except OverflowError:
            self.wrong(
                "consent.at", "This time is outside the calendar. Give the one when the reader agreed."
            )
            return None
        if at and (odd := odd_time(at)):
            self.wrong("consent.at", odd)
        return at

    async def newsletters(self, tx: Tx, given: Sequence[str] | None) -> tuple[UUID, ...]:
        """The newsletters of these slugs; the default one for None."""
        if given is None:
            return ((await default_newsletter(tx)).id,)
        known, unknown = await newsletters_by_slug(tx, tuple(given))
        if unknown:
            self.wrong("newsletters", f"There is no newsletter “{unknown[0][:60]}”.")
        return tuple(one.id for one in known)

    def wrong(self, name: str, message: str) -> None:
        """Note a problem of a field."""
        self.problems.append(Problem(name, message))

    def refuse(self) -> None:
        """Raises Invalid with everything found, if anything was."""
        if self.problems:
            raise Invalid(self.problems)

    def _kept(self, name: str, given: str) -> None:
        if "\0" in given:
            self.wrong(name, "There is a NUL in it, which cannot be kept. Take it out.")
