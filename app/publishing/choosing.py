"""What the publish page is given, and how its form becomes a press."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.accounts import Desk
from app.answers import Form
from app.base import ids
from app.base.errors import Invalid, Problem
from app.base.fields import fill, mark
from app.base.zones import Moment, moment_of
from app.broadcasts import sample_values
from app.publishing.plans import Plan
from app.publishing.publications import Press
from app.publishing.wanted import Email

TYPED_AGAIN = "mail everyone again"
"""What must be typed before readers get one post twice."""
WHERE = ("site", "mail", "both")
BAD_WALL = "Give a date and a time, such as 2027-05-03T09:00."
BROKEN = "This form is not whole. Load the page again; nothing was published."


@dataclass(frozen=True)
class Choice:
    """What a person chose so far. `key` names this one button: pressed twice, it acts once.

    `when` is now or later, `wall` the date and time as typed, in the publication's zone.
    """

    key: str
    where: str = ""
    newsletter: str = ""
    segment: str = ""
    subject: str = ""
    preheader: str = ""
    again: str = ""
    when: str = "now"
    wall: str = ""


@dataclass(frozen=True)
class PublishPage:
    """The page: the plan as it is now, what was chosen, and what was wrong with the last press."""

    plan: Plan
    choice: Choice
    problems: tuple[Problem, ...] = ()

    @property
    def subject(self) -> str:
        """The subject as a reader with a name will see it."""
        return _seen(self.choice.subject.strip() or self.plan.draft.title)

    @property
    def preheader(self) -> str:
        """The second line in the inbox."""
        return _seen(self.choice.preheader.strip() or self.plan.excerpt)


def first_choice(plan: Plan) -> Choice:
    """Before anybody chose: the site when it has something new to show, never an email."""
    return Choice(new_key(), "" if plan.line.state == "published" else "site", plan.newsletter.slug)


def new_key() -> str:
    """The key of a new button."""
    return str(ids.new())


def choice_of(form: Form) -> Choice:
    """What was chosen. Raises Invalid for what no field may hold."""
    key = form.text("key", most=100)
    if not key:
        raise Invalid("This form has no key. Load the page again.")
    return chosen(form.text, key)


def chosen(text: Callable[..., str], key: str) -> Choice:
    """The choice in a form, or in an address, by what reads a field of it."""
    where, when = text("where", most=10), text("when", most=10)
    return Choice(
        key,
        where if where in WHERE else "",
        text("newsletter"),
        text("segment"),
        text("subject", most=10_000),
        text("preheader", most=10_000),
        text("again"),
        "later" if when == "later" else "now",
        text("wall", most=100),
    )


def press_of(desk: Desk, post_id: UUID, form: Form, choice: Choice) -> Press:
    """The press that the form asks for. Raises Invalid when its numbers are none."""
    email = None
    if choice.where in ("mail", "both"):
        email = Email(
            newsletter=choice.newsletter or None,
            segment=_segment(choice.segment),
            subject=choice.subject,
            preheader=choice.preheader,
            again=choice.again.strip().casefold() == TYPED_AGAIN,
            shown=number_in(form, "shown"),
            undo_seconds=None,
        )
    return Press(
        key=f"press:{choice.key}",
        post_id=post_id,
        site=choice.where in ("site", "both"),
        email=email,
        version=number_in(form, "version"),
        by=desk.creator.id,
        by_name=desk.creator.name,
    )


def when_of(desk: Desk, form: Form, wall: str) -> Moment:
    """The instant of a wall time as typed, in the zone that the page showed. Raises Invalid."""
    zone = form.text("zone", most=100)
    if zone != desk.account.zone:
        words = f"The publication's time zone is {desk.account.zone} by now. Look at the time again."
        raise Invalid([Problem("wall", words)])
    try:
        return moment_of(wall_time(wall), zone)
    except OverflowError as error:
        raise Invalid([Problem("wall", BAD_WALL)]) from error


def wall_time(typed: str) -> datetime:
    """A wall time as a form has it, without an offset. Raises Invalid."""
    try:
        wall = datetime.fromisoformat(typed.strip())
    except ValueError as error:
        raise Invalid([Problem("wall", BAD_WALL)]) from error
    if wall.tzinfo is not None:
        raise Invalid([Problem("wall", BAD_WALL)])
    return wall.replace(second=0, microsecond=0)


def number_in(form: Form, name: str) -> int:
    """A number that the page put into its form. Raises Invalid when it is none."""
    given = form.text(name)
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        raise Invalid(BROKEN)
    return int(given)


def _segment(given: str) -> UUID | None:
    if not given:
        return None
    try:
        return UUID(given)
    except ValueError as error:
        raise Invalid([Problem("segment", "There is no such segment. Choose another.")]) from error


def _seen(text: str) -> str:
    return fill(mark(text), sample_values(), "header")
