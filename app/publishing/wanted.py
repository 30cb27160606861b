"""The email that a press asks for: as it was given, and what it names, looked up and checked."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.accounts import account_of
from app.answers import plural
from app.audiences import Segment, segment, segments
from app.base.database import Tx
from app.base.errors import Invalid, NotFound, Problem
from app.base.fields import one_line
from app.readers import Newsletter, default_newsletter, newsletter_by_slug, newsletters

MAX_SUBJECT = 255
MAX_PREHEADER = 500
COUNT_MAY_CHANGE = 0.01
"""How much of the number that a page showed may be off before the press asks again."""
NO_ADDRESS = (
    "Your postal address is missing. It goes below every email, and without it none may leave: "
    "add it in Settings."
)


@dataclass(frozen=True)
class Email:
    """The email that is wanted. Empty subject and preheader stand for the post's title and excerpt.

    `newsletter` is a slug, None for the default one; `segment` a segment's id, None for everybody. `shown` is
    the number of readers that the page named, None where nobody was shown one. `undo_seconds` pass before it
    starts; None: the account's undo time.
    """

    newsletter: str | None = None
    subject: str = ""
    preheader: str = ""
    again: bool = False
    shown: int | None = None
    undo_seconds: int | None = 0
    segment: UUID | None = None


@dataclass(frozen=True)
class Wanted:
    """The same, looked up: it can be sent as far as one can tell without its audience."""

    newsletter: Newsletter
    segment: Segment | None
    subject: str
    preheader: str
    again: bool
    shown: int | None = None
    undo_seconds: int | None = 0


class CountChanged(Invalid):
    """Others would get it than the page said. `will` is the number now."""

    def __init__(self, will: int, shown: int) -> None:
        who = plural(will, "reader")
        message = f"{who} will get it now, not {shown:,} as the page said. Press again if that is right."
        super().__init__([Problem("count", message)])
        self.will = will


async def wanted_of(tx: Tx, email: Email | None) -> Wanted | None:
    """What an email asks for; None for none. Raises Invalid for what is not there or does not fit."""
    if email is None:
        return None
    subject, preheader = checked_lines(email)
    newsletter = await wanted_newsletter(tx, email.newsletter)
    chosen = await _segment(tx, email.segment) if email.segment else None
    await refuse_addressless(tx)
    return Wanted(newsletter, chosen, subject, preheader, email.again, email.shown, email.undo_seconds)


def stored(wanted: Wanted) -> dict[str, Any]:
    """As the schedule keeps it: by ids, with the names that a page shows.

    The account's undo time (None) is for whoever presses, so at a time to come there is none of it.
    """
    return {
        "newsletter": str(wanted.newsletter.id),
        "newsletter_name": wanted.newsletter.name,
        "segment": str(wanted.segment.id) if wanted.segment else None,
        "segment_name": wanted.segment.name if wanted.segment else None,
        "subject": wanted.subject,
        "preheader": wanted.preheader,
        "again": wanted.again,
        "undo_seconds": wanted.undo_seconds or 0,
    }


async def wanted_again(tx: Tx, kept: dict[str, Any], shown: int | None = None) -> Wanted:
    """What the schedule kept, looked up now. Raises Invalid when something of it is gone."""
    known = {str(one.id): one for one in await newsletters(tx)}
    newsletter = known.get(kept["newsletter"])
    if newsletter is None:
        raise Invalid(f"The newsletter {kept['newsletter_name']} is gone.")
    chosen = None
    if kept["segment"]:
        chosen = {str(one.id): one for one in await segments(tx)}.get(kept["segment"])
        if chosen is None:
            raise Invalid(f"The segment {kept['segment_name']} is gone.")
    await refuse_addressless(tx)
    undo = kept.get("undo_seconds", 0)  # not kept by what was scheduled before it was
    return Wanted(newsletter, chosen, kept["subject"], kept["preheader"], kept["again"], shown, undo)


async def wanted_newsletter(tx: Tx, slug: str | None) -> Newsletter:
    """The newsletter of that slug, the default one for None. Raises Invalid for an unknown slug."""
    if slug is None:
        return await default_newsletter(tx)
    found = await newsletter_by_slug(tx, slug)
    if found is None:
        raise Invalid([Problem("email.newsletter", f"There is no newsletter {slug!r} in this publication.")])
    return found


async def refuse_addressless(tx: Tx) -> None:
    """Raises Invalid while the publication has no postal address."""
    if not (await account_of(tx)).postal_address:
        raise Invalid([Problem("postal_address", NO_ADDRESS)])


def checked_lines(email: Email) -> tuple[str, str]:
    """Subject and preheader on one line each. Raises Invalid when one is too long or holds a NUL."""
    problems: list[Problem] = []
    lines: list[str] = []
    for name, text, most in (
        ("subject", email.subject, MAX_SUBJECT),
        ("preheader", email.preheader, MAX_PREHEADER),
    ):
        line = " ".join(one_line(text).split())
        if "\0" in text:
            problems.append(Problem(f"email.{name}", f"There is a NUL in the {name}. Take it out."))
        if len(line) > most:
            message = f"The {name} may have at most {most} characters; this has {len(line):,}."
            problems.append(Problem(f"email.{name}", message))
        lines.append(line)
    if problems:
        raise Invalid(problems)
    return lines[0], lines[1]


async def _segment(tx: Tx, segment_id: UUID) -> Segment:
    try:
        return await segment(tx, segment_id)
    except NotFound as error:
        raise Invalid([Problem("email.segment", error.detail)]) from error
