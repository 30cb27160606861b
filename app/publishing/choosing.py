"""What the publish page is given, and how its form becomes a press."""

from dataclasses import dataclass
from uuid import UUID

from app.accounts import Desk
from app.answers import Form
from app.base import ids
from app.base.errors import Invalid, Problem
from app.base.fields import fill, mark
from app.broadcasts import sample_values
from app.publishing.plans import Plan
from app.publishing.publications import Email, Press

TYPED_AGAIN = "mail everyone again"
"""What must be typed before readers get one post twice."""
WHERE = ("site", "mail", "both")


@dataclass(frozen=True)
class Choice:
    """What a person chose so far. `key` names this one button: pressed twice, it acts once."""

    key: str
    where: str = ""
    newsletter: str = ""
    subject: str = ""
    preheader: str = ""
    again: str = ""


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
    return Choice(str(ids.new()), "" if plan.line.state == "published" else "site", plan.newsletter.slug)


def choice_of(form: Form) -> Choice:
    """What was chosen. Raises Invalid for what no field may hold."""
    key, where = form.text("key", most=100), form.text("where", most=10)
    if not key:
        raise Invalid("This form has no key. Load the page again.")
    return Choice(
        key,
        where if where in WHERE else "",
        form.text("newsletter"),
        form.text("subject", most=10_000),
        form.text("preheader", most=10_000),
        form.text("again"),
    )


def press_of(desk: Desk, post_id: UUID, form: Form, choice: Choice) -> Press:
    """The press that the form asks for. Raises Invalid when its numbers are none."""
    email = None
    if choice.where in ("mail", "both"):
        email = Email(
            newsletter=choice.newsletter or None,
            subject=choice.subject,
            preheader=choice.preheader,
            again=choice.again.strip().casefold() == TYPED_AGAIN,
            shown=_number(form, "shown"),
            undo_seconds=None,
        )
    return Press(
        key=f"press:{choice.key}",
        post_id=post_id,
        site=choice.where in ("site", "both"),
        email=email,
        version=_number(form, "version"),
        by=desk.creator.id,
        by_name=desk.creator.name,
    )


def _seen(text: str) -> str:
    return fill(mark(text), sample_values(), "header")


def _number(form: Form, name: str) -> int:
    given = form.text(name)
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        raise Invalid("This form is not whole. Load the page again; nothing was published.")
    return int(given)
