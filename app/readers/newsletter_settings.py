"""What a team says of a newsletter: its name and sender, what stands on the form, its first mail."""

import re
from dataclasses import dataclass
from uuid import UUID

from app.base import ids
from app.base.addresses import AddressError, canonical
from app.base.database import Tx
from app.base.errors import Invalid, NotFound, Problem
from app.base.fields import misspelt, one_line, scrub
from app.readers.streams import Newsletter, newsletter_by_slug

LONGEST_NAME, LONGEST_DESCRIPTION, LONGEST_SUBJECT, LONGEST_WELCOME = 120, 500, 255, 20_000
_SLUG = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")

_ADD = """
insert into newsletter (account_id, id, slug, name, description, sender_name, from_address, reply_to,
                        welcome, welcome_subject, welcome_markdown)
values (:account, :id, :slug, :name, :description, :sender_name, :from_address, :reply_to,
        :welcome, :welcome_subject, :welcome_markdown)
on conflict (account_id, slug) do nothing
returning id
"""
_CHANGE = """
update newsletter set name = :name, description = :description, sender_name = :sender_name,
    from_address = :from_address, reply_to = :reply_to,
    welcome = :welcome, welcome_subject = :welcome_subject, welcome_markdown = :welcome_markdown
where id = :id
"""
_COUNTS = """
select n.id, count(s.reader_id) filter (where s.state = 'active') as active,
       count(s.reader_id) filter (where s.state = 'pending') as pending
from newsletter n left join subscription s on s.account_id = n.account_id and s.newsletter_id = n.id
group by n.id
"""


@dataclass(frozen=True)
class Typed:
    """The form as it was typed. `slug` is read of a new one only."""

    name: str = ""
    slug: str = ""
    description: str = ""
    sender_name: str = ""
    from_address: str = ""
    reply_to: str = ""
    welcome: bool = False
    welcome_subject: str = ""
    welcome_markdown: str = ""


@dataclass(frozen=True)
class Subscribers:
    """How many get a newsletter, and how many asked and have not confirmed."""

    active: int
    pending: int


def typed_of(one: Newsletter) -> Typed:
    """The form of a newsletter as it is."""
    return Typed(
        one.name,
        one.slug,
        one.description,
        one.sender_name,
        one.from_address or "",
        one.reply_to or "",
        one.welcome,
        one.welcome_subject,
        one.welcome_markdown,
    )


async def subscribers(tx: Tx) -> dict[UUID, Subscribers]:
    """Of every newsletter."""
    return {row.id: Subscribers(row.active, row.pending) for row in await tx.rows(_COUNTS)}


async def add_newsletter(tx: Tx, typed: Typed) -> str:
    """Make one; its slug. Raises Invalid with every problem, by field."""
    problems: list[Problem] = []
    fields = _checked(typed, problems)
    slug = _slug(typed, problems)
    if problems:
        raise Invalid(problems)
    made = await tx.value(_ADD, account=tx.account_id, id=ids.new(), slug=slug, **fields)
    if made is None:
        raise Invalid([Problem("slug", f"There is a newsletter “{slug}” already. Give another short name.")])
    return slug


async def change_newsletter(tx: Tx, slug: str, typed: Typed) -> None:
    """Save one. Raises NotFound, and Invalid with every problem, by field."""
    found = await newsletter_by_slug(tx, slug)
    if found is None:
        raise NotFound("There is no such newsletter.")
    problems: list[Problem] = []
    fields = _checked(typed, problems)
    if problems:
        raise Invalid(problems)
    await tx.execute(_CHANGE, id=found.id, **fields)


def _checked(typed: Typed, problems: list[Problem]) -> dict[str, object]:
    """The columns; what is wrong is added to `problems`."""
    name = _line(typed.name, "name", LONGEST_NAME, problems)
    if not name:
        problems.append(Problem("name", "Give the newsletter a name."))
    words = scrub(typed.welcome_markdown).strip()
    _length(words, "welcome_markdown", LONGEST_WELCOME, problems)
    subject = _line(typed.welcome_subject, "welcome_subject", LONGEST_SUBJECT, problems)
    if typed.welcome and not words:
        problems.append(Problem("welcome_markdown", "Write what the first mail says, or untick it."))
    for field, text in (("welcome_subject", subject), ("welcome_markdown", words)):
        problems += [
            Problem(field, f"{written} is no field. Did you mean {meant}?")
            for written, meant in misspelt(text)[:3]
        ]
    return {
        "name": name,
        "description": _line(typed.description, "description", LONGEST_DESCRIPTION, problems),
        "sender_name": _line(typed.sender_name, "sender_name", LONGEST_NAME, problems),
        "from_address": _address(typed.from_address, "from_address", problems),
        "reply_to": _address(typed.reply_to, "reply_to", problems),
        "welcome": typed.welcome,
        "welcome_subject": subject,
        "welcome_markdown": words,
    }


def _slug(typed: Typed, problems: list[Problem]) -> str:
    """As it was given, else made of the name."""
    given = typed.slug.strip().lower()
    slug = given or re.sub(r"[^a-z0-9]+", "-", typed.name.lower()).strip("-")[:63].strip("-")
    if not _SLUG.fullmatch(slug):
        told = "Give a short name of small letters a–z, digits and hyphens, such as “field-notes”."
        problems.append(Problem("slug", told))
    return slug


def _line(given: str, field: str, most: int, problems: list[Problem]) -> str:
    line = one_line(given)
    _length(line, field, most, problems)
    return line


def _length(text: str, field: str, most: int, problems: list[Problem]) -> None:
    if len(text) > most:
        problems.append(Problem(field, f"This is {len(text):,} characters long; the most is {most:,}."))


def _address(given: str, field: str, problems: list[Problem]) -> str | None:
    if not given.strip():
        return None
    try:
        return canonical(given)
    except AddressError as error:
        problems.append(Problem(field, error.detail))
        return None
