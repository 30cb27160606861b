"""Revisions: a draft frozen, with its HTML rendered once. Site, feed and mail all take it from here."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from markupsafe import Markup

from app.base import clock, ids
from app.base.database import Tx
from app.base.errors import Invalid, NotFound, Problem
from app.base.statements import sql
from app.posts import markdown
from app.posts.access import Access
from app.posts.drafts import NEEDS_TITLE, Draft, StaleVersion, draft_of, lock_with_draft
from app.posts.rendering import rendering
from app.posts.slugs import RESERVED, fallback_slug, numbered, slug_of

KEPT_FOR = ("publish", "by_hand", "by_itself", "before_restore", "import")
NEEDS_BODY = "Write something first: the post has no text yet."


@dataclass(frozen=True)
class Revision:
    """An earlier version: what was written, and how it reads.

    `html` is sanitised, its fields filled with their fallbacks; `preview_html` is the part of it above the
    paywall marker, '' without one; `excerpt` is the creator's or the first words that everybody may read;
    `minutes` to read, at least 1; `slug` is the one it asks for; `kept_for` is one of KEPT_FOR.
    """

    id: UUID
    post_id: UUID
    number: int
    title: str
    slug: str
    markdown: str
    html: str
    excerpt: str
    tags: tuple[str, ...]
    access: str
    minutes: int
    created_at: datetime
    preview_html: str = ""
    plan_id: UUID | None = None
    kind: str = "post"
    cover: str = ""
    cover_alt: str = ""
    seo_title: str = ""
    seo_description: str = ""
    kept_for: str = "publish"

    @property
    def readers(self) -> Access:
        """Who may read it."""
        return Access(self.access, self.plan_id)

    @property
    def shown(self) -> Markup:
        """The text as a page may show it."""
        return on_screen(self.html)


async def freeze(
    tx: Tx, post_id: UUID, creator_id: UUID | None, version: int | None = None, *, locked: Draft | None = None
) -> Revision:
    """Freeze the draft into a revision and answer it; an unchanged draft answers the one it has.

    `locked`: the draft as `lock_with_draft` answered it. Nobody can save in between. Raises NotFound,
    StaleVersion when `version` is not the draft's, Invalid without a title or text.
    """
    draft = locked or await lock_with_draft(tx, post_id)
    if version is not None and draft.version != version:
        raise StaleVersion(await draft_of(tx, post_id))
    made = await rendering(draft.writing.markdown, _fit, draft)
    return await _kept(tx, draft, creator_id, made)


async def keep(tx: Tx, draft: Draft, by: UUID | None, why: str) -> Revision:
    """Keep a draft, which is locked, as a revision; one that was kept as it is answers that revision."""
    made = await rendering(draft.writing.markdown, provisional, draft)
    return await _kept(tx, draft, by, replace(made, kept_for=why))


async def _kept(tx: Tx, draft: Draft, by: UUID | None, wanted: Revision) -> Revision:
    columns = {name: getattr(wanted, name) for name in wanted.__dataclass_fields__}
    row = await tx.row(
        sql(__package__, "freeze"),
        account=tx.account_id,
        post=draft.post_id,
        by=by,
        saved_at=draft.saved_at,
        **{**columns, "tags": list(wanted.tags)},
    )
    if row is not None:
        return replace(wanted, number=row.number, created_at=row.created_at)
    newest = await tx.row(sql(__package__, "newest_revision"), account=tx.account_id, post=draft.post_id)
    assert newest is not None
    return _revision(newest)


async def earlier(tx: Tx, post_id: UUID, number: int) -> Revision:
    """One earlier version, whole. Raises NotFound, for a number past what the column holds too."""
    row = await tx.row(
        sql(__package__, "revision"), account=tx.account_id, post=post_id, number=min(number, 2**31 - 1)
    )
    if row is None:
        raise NotFound(f"This post has no earlier version {str(number)[:12]}.")
    columns = {name: getattr(row, name) for name in Revision.__dataclass_fields__}
    return Revision(**{**columns, "tags": tuple(row.tags)})


def provisional(draft: Draft) -> Revision:
    """The revision that freezing the draft would make, for previews and check lists; nothing is stored.

    Raises what rendering raises (Invalid, TooLarge)."""
    told = draft.writing
    return Revision(
        id=ids.new(),
        post_id=draft.post_id,
        number=1,
        title=told.title or "Untitled",
        slug=wanted_slug(draft),
        markdown=told.markdown,
        html=markdown.to_html(told.markdown, fields=False),
        preview_html=markdown.to_html(told.markdown, fields=False, only_free=True),
        excerpt=excerpt_of(draft),
        tags=told.tags,
        access=told.access,
        plan_id=told.plan_id,
        kind=told.kind,
        cover=told.cover,
        cover_alt=told.cover_alt,
        seo_title=told.seo_title,
        seo_description=told.seo_description,
        minutes=markdown.minutes(told.markdown),
        created_at=clock.now(),
    )


def what_stops(draft: Draft) -> list[Problem]:
    """Why the draft cannot be published yet; empty when it can."""
    found: list[Problem] = []
    if not draft.writing.title:
        found.append(Problem("title", NEEDS_TITLE))
        markdown.front_matter(draft.writing.markdown)  # raises what is wrong with it: the title may be there
    if not markdown.to_html(draft.writing.markdown, fields=False).strip():
        found.append(Problem("markdown", NEEDS_BODY))
    return found


def on_screen(html: str) -> Markup:
    """A revision's HTML as a page may show it: what can be scrolled sideways can be reached by keyboard."""
    return Markup(html.replace("<pre>", '<pre tabindex="0">').replace("<table>", '<table tabindex="0">'))


def wanted_slug(draft: Draft) -> str:
    """The slug that the draft asks for: its own, else the live one, else from the title."""
    return (
        draft.writing.slug or draft.live_slug or slug_of(draft.writing.title) or fallback_slug(draft.post_id)
    )


def excerpt_of(draft: Draft) -> str:
    """The creator's excerpt, else the first words of the text, of what everybody may read of it."""
    told = draft.writing
    return told.excerpt or markdown.excerpt(told.markdown, only_free=told.access != "everyone")


async def free_slug(tx: Tx, post_id: UUID, slug: str) -> str:
    """`slug`, or the first of `slug-2`, `slug-3`, … that no other live post of the account has."""
    rows = await tx.rows(sql(__package__, "slugs_like"), account=tx.account_id, post=post_id, slug=slug)
    taken = {row.slug for row in rows} | RESERVED
    number = 1
    while numbered(slug, number) in taken:
        number += 1
    return numbered(slug, number)


def _fit(draft: Draft) -> Revision:
    """The draft rendered, for good. Raises Invalid when something stops it."""
    problems = what_stops(draft)
    if problems:
        raise Invalid(problems)
    return provisional(draft)


def _revision(row: Any) -> Revision:
    return Revision(**{**row._mapping, "tags": tuple(row.tags)})
