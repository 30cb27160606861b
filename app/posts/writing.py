"""What a person writes, and how it is brought into the form that is stored."""

import re
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from app.base.errors import Invalid, Problem
from app.base.fields import one_line
from app.posts import markdown
from app.posts.access import ACCESS, Access
from app.posts.slugs import MAX_SLUG, slug_of

MAX_TITLE = 255
MAX_EXCERPT = 500
MAX_TAGS = 30
MAX_TAG = 60
MAX_ADDRESS = 2000
KINDS = ("post", "page")
_LINES = ("title", "excerpt", "cover_alt", "seo_title", "seo_description")
_MOST = {
    "title": MAX_TITLE,
    "excerpt": MAX_EXCERPT,
    "cover": MAX_ADDRESS,
    "cover_alt": 500,
    "seo_title": 255,
    "seo_description": 500,
}
_NAMES = {
    "cover_alt": "description of the cover",
    "seo_title": "title for search engines",
    "seo_description": "description for search engines",
}
_PICTURE = re.compile(r"(https?://|/media/)[^\s<>\"']+")


@dataclass(frozen=True)
class Writing:
    """What a person writes. `tidy` brings it into the form that is stored.

    `kind`: a post stands in lists and feeds, a page does not. `plan_id` goes with the access `plan` alone.
    `cover` is the address of a picture; the two `seo_` texts stand in for title and excerpt elsewhere.
    """

    title: str = ""
    markdown: str = ""
    excerpt: str = ""
    slug: str = ""
    tags: tuple[str, ...] = ()
    access: str = "everyone"
    plan_id: UUID | None = None
    kind: str = "post"
    cover: str = ""
    cover_alt: str = ""
    seo_title: str = ""
    seo_description: str = ""

    @property
    def readers(self) -> Access:
        """Who may read it."""
        return Access(self.access, self.plan_id)

    def columns(self) -> dict[str, Any]:
        """As the draft's and the revision's statements bind it."""
        return {**{name: getattr(self, name) for name in self.__dataclass_fields__}, "tags": list(self.tags)}


def tidy(writing: Writing) -> Writing:
    """`writing` as it is stored: lines as lines, slug in its one spelling, tags without doubles.

    An empty title (and with it empty tags and excerpt) is taken from the text's front matter. Raises Invalid
    with every problem found, TooLarge for a text past markdown.MAX_MARKDOWN. It may render the text to see
    how deep it is: to be called in a thread where somebody waits.
    """
    problems = [
        Problem(name, "There is a NUL or half a character in this text. Take it out: it cannot be stored.")
        for name, text in _texts(writing)
        if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text)
    ]
    if problems:
        raise Invalid(problems)
    markdown.refuse_nests(markdown.checked(writing.markdown))
    wanted = _with_front_matter(
        replace(
            writing,
            **{name: _line(getattr(writing, name)) for name in _LINES},
            markdown=writing.markdown.replace("\r\n", "\n").replace("\r", "\n"),
            cover=writing.cover.strip(),
            slug=slug_of(writing.slug),
            tags=tuple(dict.fromkeys(tag for tag in map(_line, writing.tags) if tag)),
            plan_id=writing.plan_id if writing.access == "plan" else None,
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
    lengths = [(name, getattr(wanted, name), most) for name, most in _MOST.items()]
    found = [
        Problem(
            name,
            f"The {_NAMES.get(name, name)} may have at most {most:,} characters; this has {len(text):,}.",
        )
        for name, text, most in [*lengths, ("slug", given.slug, MAX_SLUG)]
        if len(text) > most
    ]
    if given.slug.strip() and not wanted.slug:
        found.append(Problem("slug", "The slug needs a letter or a digit. Leave it empty to take the title."))
    if wanted.cover and len(wanted.cover) <= MAX_ADDRESS and not _PICTURE.fullmatch(wanted.cover):
        found.append(Problem("cover", "The cover is an address that begins with https://, or an upload."))
    return [*found, *_tags(wanted), *_access(wanted)]


def _tags(wanted: Writing) -> list[Problem]:
    found: list[Problem] = []
    if len(wanted.tags) > MAX_TAGS:
        found.append(
            Problem("tags", f"A post may have at most {MAX_TAGS} tags; these are {len(wanted.tags)}.")
        )
    if any(len(tag) > MAX_TAG for tag in wanted.tags):
        found.append(Problem("tags", f"A tag may have at most {MAX_TAG} characters."))
    return found


def _access(wanted: Writing) -> list[Problem]:
    found: list[Problem] = []
    if wanted.access not in ACCESS:
        found.append(Problem("access", "Access is one of everyone, subscribers, paid and plan."))
    if wanted.access == "plan" and wanted.plan_id is None:
        found.append(Problem("plan", "Choose the plan whose readers may read it."))
    if wanted.kind not in KINDS:
        found.append(Problem("kind", "The kind is post or page."))
    return found


def _texts(writing: Writing) -> list[tuple[str, str]]:
    named = [(name, getattr(writing, name)) for name in ("markdown", "slug", *_MOST)]
    return [*named, *(("tags", tag) for tag in writing.tags)]


def _line(text: str) -> str:
    return re.sub(r"\s+", " ", one_line(text)).strip()
