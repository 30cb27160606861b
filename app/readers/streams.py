"""Newsletters: the streams of mail that a reader opts in to."""

from dataclasses import dataclass
from uuid import UUID

from app.base.database import Tx
from app.base.errors import NotFound


@dataclass(frozen=True)
class Newsletter:
    """A stream of mail. Empty sender fields stand for the account's own.

    `welcome`: whether its first mail goes to who confirms, in the words of `welcome_subject` and
    `welcome_markdown`.
    """

    id: UUID
    slug: str
    name: str
    sender_name: str
    from_address: str | None
    reply_to: str | None
    is_default: bool
    description: str = ""
    welcome: bool = False
    welcome_subject: str = ""
    welcome_markdown: str = ""


_NEWSLETTER = """
select id, slug, name, sender_name, from_address, reply_to, is_default,
       description, welcome, welcome_subject, welcome_markdown
from newsletter
"""


async def newsletters(tx: Tx) -> list[Newsletter]:
    """Every newsletter of the account, the default one first."""
    return [Newsletter(*row) for row in await tx.rows(f"{_NEWSLETTER} order by is_default desc, name, id")]


async def default_newsletter(tx: Tx) -> Newsletter:
    """The one that is meant when none is named."""
    row = await tx.row(f"{_NEWSLETTER} where is_default")
    assert row is not None, "every account is born with a newsletter"
    return Newsletter(*row)


async def newsletter_by_slug(tx: Tx, slug: str) -> Newsletter | None:
    """The newsletter of that slug, or None."""
    row = await tx.row(f"{_NEWSLETTER} where slug = :slug", slug=slug)
    return Newsletter(*row) if row else None


async def newsletter(tx: Tx, newsletter_id: UUID) -> Newsletter:
    """Raises NotFound when there is none."""
    row = await tx.row(f"{_NEWSLETTER} where id = :id", id=newsletter_id)
    if row is None:
        raise NotFound("There is no such newsletter.")
    return Newsletter(*row)


async def newsletters_by_slug(tx: Tx, slugs: tuple[str, ...]) -> tuple[list[Newsletter], list[str]]:
    """The newsletters named, and those names that no newsletter has."""
    known = {one.slug: one for one in await newsletters(tx)}
    return [known[slug] for slug in dict.fromkeys(slugs) if slug in known], [
        slug for slug in slugs if slug not in known
    ]
