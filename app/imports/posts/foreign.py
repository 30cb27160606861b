"""A post as another product's file has it, and the file with its pictures."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from app.imports.posts.archive import Pictures

_BEFORE = datetime(1970, 1, 1, tzinfo=UTC)
Body = tuple[str, tuple[str, ...]]
"""Their HTML, and what of it did not survive."""


def no_body() -> Body:
    """Of a post without text."""
    return "", ()


@dataclass(frozen=True)
class ForeignPost:
    """One post. `published_at` None: a draft. `losses` are sentences. Times None: the file does not tell.

    `body` reads its text when it is this post's turn: no two are held at once. It may raise anything, since
    anything may stand in the file. `problem`: why the post cannot be brought at all.
    """

    origin: str
    title: str
    slug: str
    created_at: datetime | None
    updated_at: datetime | None
    body: Callable[[], Body] = no_body
    published_at: datetime | None = None
    undated: bool = False
    """Published, and the file does not tell when."""
    excerpt: str = ""
    tags: tuple[str, ...] = ()
    access: str = "everyone"
    plan: str = ""
    """The name of the plan that it is for there; `access` is then what it is rendered by."""
    kind: str = "post"
    cover: str = ""
    cover_alt: str = ""
    seo_title: str = ""
    seo_description: str = ""
    paths: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    problem: str | None = None


def oldest_first(posts: Iterable[ForeignPost]) -> tuple[ForeignPost, ...]:
    """In the order of their times, the same every time a file is read; those without one come first."""
    return tuple(sorted(posts, key=lambda one: (one.published_at or one.created_at or _BEFORE, one.origin)))


@dataclass(frozen=True)
class ForeignFile:
    """All posts of a file, oldest first, and the pictures in it."""

    format: str
    posts: tuple[ForeignPost, ...]
    pictures: Pictures = field(default_factory=Pictures)
    losses: tuple[str, ...] = ()
    """Of the file as a whole."""
