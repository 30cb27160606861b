"""A post as another product's file has it, and the file with its pictures."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class ForeignPost:
    """One post. `html` is theirs; `published_at` None: a draft. `losses` are sentences.

    `problem`: why it cannot be brought at all.
    """

    origin: str
    title: str
    slug: str
    html: str
    created_at: datetime
    updated_at: datetime
    published_at: datetime | None = None
    excerpt: str = ""
    tags: tuple[str, ...] = ()
    access: str = "everyone"
    kind: str = "post"
    cover: str = ""
    cover_alt: str = ""
    seo_title: str = ""
    seo_description: str = ""
    paths: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    problem: str | None = None


@dataclass(frozen=True)
class ForeignFile:
    """All posts of a file, oldest first, and the pictures in it by their path there."""

    format: str
    posts: tuple[ForeignPost, ...]
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    losses: tuple[str, ...] = ()
    """Of the file as a whole."""
