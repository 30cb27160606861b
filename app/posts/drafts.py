"""Drafts: a post's working copy, saved by compare-and-set on its version.

A save names the version it started from. Somebody else's save in between is a Conflict that says who saved
and when; nothing is written, and the caller still holds its own text. A save that was already made (its
answer was lost on the way) is answered again instead of being taken for a conflict with itself.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from app.base import ids
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, NotFound, Problem
from app.base.fields import one_line
from app.base.statements import sql
from app.posts import markdown
from app.posts.slugs import MAX_SLUG, slug_of

MAX_TITLE = 255
MAX_EXCERPT = 500
MAX_TAGS = 30
MAX_TAG = 60
NEEDS_TITLE = "Give the post a title."
_CREATE = "insert into post (account_id, id) values (:account, :id) on conflict do nothing"


@dataclass(frozen=True)
class Writing:
    """What a person writes. `tidy` brings it into the form that is stored."""

    title: str = ""
    markdown: str = ""
    excerpt: str = ""
    slug: str = ""
    tags: tuple[str, ...] = ()
    access: str = "everyone"


@dataclass(frozen=True)
class Draft:
    """The working copy as stored. `saved_by` is a name, '' for the API or nobody."""

    post_id: UUID
    writing: Writing
    version: int
    saved_at: datetime
    saved_by: str
    live_slug: str | None = None

    @property
    def title(self) -> str:
        """The title, or what a list shows in its place."""
        return self.writing.title or "Untitled"


class StaleVersion(Conflict):
    """The draft was saved by somebody else since; `theirs` is what stands there now."""

    def __init__(self, theirs: Draft) -> None:
        who = theirs.saved_by or "Another program (through the API)"
        super().__init__(
            f"{who} saved version {theirs.version} of this post at {theirs.saved_at:%H:%M} UTC, after you "
            "opened it. Nothing was overwritten: load that version, put your changes into it and save again."
        )
        self.theirs = theirs


async def create_post(
    tx: Tx,
    writing: Writing,
    by: UUID | None = None,
    *,
    post_id: UUID | None = None,
    titled: bool = False,
) -> Draft:
    """Make a post with its first draft, version 1.

    `post_id`: under this id, when an editor was opened before there was a post; who comes second with it is a
    StaleVersion. `titled`: a post without a title is refused. Raises Invalid and TooLarge as `tidy` does.
    """
    wanted = _tidy(writing, titled)
    post_id = post_id or ids.new()
    new = await tx.execute(_CREATE, account=tx.account_id, id=post_id)
    if new:
        await tx.execute(
            sql(__package__, "create_draft"), account=tx.account_id, post=post_id, by=by, **_columns(wanted)
        )
    made = await draft_of(tx, post_id, lock=True)
    if not new and made.writing != wanted:
        raise StaleVersion(made)
    return made


async def draft_of(tx: Tx, post_id: UUID, *, lock: bool = False) -> Draft:
    """The draft of a post. Raises NotFound.

    `lock`: nobody else saves or freezes it until this transaction ends.
    """
    if lock:
        locked = "select 1 from draft where account_id = :account and post_id = :post for update"
        await tx.value(locked, account=tx.account_id, post=post_id)
    row = await tx.row(sql(__package__, "draft"), account=tx.account_id, post=post_id)
    if row is None:
        raise NotFound("There is no such post.")
    writing = Writing(row.title, row.markdown, row.excerpt, row.slug, tuple(row.tags), row.access)
    return Draft(post_id, writing, row.version, row.updated_at, row.saved_by, row.live_slug)


async def save_draft(
    tx: Tx, post_id: UUID, version: int, writing: Writing, by: UUID | None = None, *, titled: bool = False
) -> Draft:
    """Save over `version` of the draft; a save that changes nothing keeps the version.

    `titled` as for `create_post`. Raises StaleVersion (a Conflict), NotFound, Invalid, TooLarge.
    """
    wanted = _tidy(writing, titled)
    there = await draft_of(tx, post_id, lock=True)
    if there.writing == wanted:
        return there
    if there.version != version:
        raise StaleVersion(there)
    await tx.value(
        sql(__package__, "save_draft"),
        account=tx.account_id,
        post=post_id,
        version=version,
        by=by,
        **_columns(wanted),
    )
    return await draft_of(tx, post_id)


def _tidy(writing: Writing, titled: bool) -> Writing:
    wanted = tidy(writing)
    if titled and not wanted.title:
        raise Invalid([Problem("title", NEEDS_TITLE)])
    return wanted


def tidy(writing: Writing) -> Writing:
    """`writing` as it is stored: one-line title, slug in its one spelling, tags without doubles.

    An empty title (and with it empty tags and excerpt) is taken from the text's front matter. Raises Invalid
    with every problem found, TooLarge for a text past markdown.MAX_MARKDOWN.
    """
    problems = [
        Problem(name, "There is a NUL or half a character in this text. Take it out: it cannot be stored.")
        for name, text in _texts(writing)
        if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text)
    ]
    if problems:
        raise Invalid(problems)
    markdown.checked(writing.markdown)
    wanted = _with_front_matter(
        replace(
            writing,
            title=_line(writing.title),
            markdown=writing.markdown.replace("\r\n", "\n"),
            excerpt=_line(writing.excerpt),
            slug=slug_of(writing.slug),
            tags=tuple(dict.fromkeys(tag for tag in map(_line, writing.tags) if tag)),
        )
    )
    problems = _problems(writing, wanted)
    if problems:
        raise Invalid(problems)
    return wanted


def _with_front_matter(writing: Writing) -> Writing:
    if writing.title or not writing.markdown.lstrip("\ufeff").startswith("---"):
        return writing
    try:
        told, _ = markdown.front_matter(writing.markdown)
    except Invalid:  # half-typed; freezing tells it, if the title is still missing then
        return writing
    return replace(
        writing,
        title=_line(told.get("title", "")),
        tags=writing.tags or tuple(told.get("tags", ())),
        excerpt=writing.excerpt or _line(told.get("excerpt", "")),
    )


def _problems(given: Writing, wanted: Writing) -> list[Problem]:
    found: list[Problem] = []
    for name, text, most in (
        ("title", wanted.title, MAX_TITLE),
        ("excerpt", wanted.excerpt, MAX_EXCERPT),
        ("slug", given.slug, MAX_SLUG),
    ):
        if len(text) > most:
            found.append(
                Problem(name, f"The {name} may have at most {most} characters; this has {len(text):,}.")
            )
    if given.slug.strip() and not wanted.slug:
        found.append(Problem("slug", "The slug needs a letter or a digit. Leave it empty to take the title."))
    if len(wanted.tags) > MAX_TAGS:
        found.append(
            Problem("tags", f"A post may have at most {MAX_TAGS} tags; these are {len(wanted.tags)}.")
        )
    if any(len(tag) > MAX_TAG for tag in wanted.tags):
        found.append(Problem("tags", f"A tag may have at most {MAX_TAG} characters."))
    if wanted.access != "everyone":
        found.append(Problem("access", "access: only 'everyone' is possible in this version of Godwit."))
    return found


def _texts(writing: Writing) -> list[tuple[str, str]]:
    named = [(name, getattr(writing, name)) for name in ("title", "markdown", "excerpt", "slug")]
    return [*named, *(("tags", tag) for tag in writing.tags)]


def _line(text: str) -> str:
    return re.sub(r"\s+", " ", one_line(text)).strip()


def _columns(writing: Writing) -> dict[str, object]:
    return {
        "title": writing.title,
        "markdown": writing.markdown,
        "excerpt": writing.excerpt,
        "slug": writing.slug,
        "tags": list(writing.tags),
        "access": writing.access,
    }
