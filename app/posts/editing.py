"""What the editor's page is given, and how a form becomes a Writing."""

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from markupsafe import Markup

from app.answers import Form
from app.base.errors import GodwitError, Invalid, Problem
from app.posts import markdown
from app.posts.drafts import Draft
from app.posts.revisions import on_screen
from app.posts.surroundings import Surroundings
from app.posts.writing import Writing

MOST = 20_000_000
"""Characters a field may bring: more than is taken, so that the limit that is told is the slice's own."""
_TEXTS = (
    *("title", "markdown", "excerpt", "slug", "access", "kind"),
    *("cover", "cover_alt", "seo_title", "seo_description"),
)
_EMPTY = Markup()
DESCRIBE = (
    "Describe the picture in a few words, for those who do not see it. "
    "Or tick that it only decorates. Choose the file again, then add it."
)


@dataclass(frozen=True)
class Editing:
    """One post on the desk. `version` 0: not saved yet; `theirs`: what somebody else saved meanwhile.

    `preview` is the text as `previewed`.
    """

    post_id: UUID
    version: int
    writing: Writing
    around: Surroundings
    state: str = "draft"
    draft: Draft | None = None
    live_url: str = ""
    problems: tuple[Problem, ...] = ()
    theirs: Draft | None = None
    preview: Markup = _EMPTY


def previewed(writing: Writing) -> Markup:
    """The text as the site will show it; a sentence when it cannot be shown."""
    try:
        return on_screen(markdown.to_html(writing.markdown, fields=False))
    except GodwitError as error:
        return Markup("<p>{}</p>").format(error.detail)


def written_over(there: Writing, form: Form) -> Writing:
    """`there` with what the form brings; a field it has not stays. Raises Invalid for what none may hold."""
    given: dict[str, Any] = {name: form.text(name, most=MOST) for name in _TEXTS if form.has(name)}
    if form.has("tags"):
        given["tags"] = _tags(form.text("tags", most=MOST))
    if form.has("plan"):
        given["plan_id"] = _plan(form.text("plan"))
    return replace(there, **given)


def as_typed(there: Writing, form: Form) -> Writing:
    """The same, to be shown again when it cannot be saved: nothing that was typed is lost."""
    given: dict[str, Any] = {name: form.typed(name) for name in _TEXTS if form.has(name)}
    if form.has("tags"):
        given["tags"] = _tags(form.typed("tags"))
    return replace(there, **given)


def version_of(form: Form) -> int:
    """The version that the save started from; the one it overwrites, when that was asked for."""
    given = form.text("over") or form.text("version") or "0"
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        raise Invalid([Problem("version", "The version of this draft is missing. Load the page again.")])
    return int(given)


def described(form: Form) -> str:
    """What the picture shows, '' when it only decorates. Raises Invalid when neither is said."""
    alt = " ".join(form.text("image_alt", most=500).split())
    if not alt and not form.checked("image_decorates"):
        raise Invalid([Problem("image_alt", DESCRIBE)])
    return alt


def with_picture(text: str, alt: str, url: str) -> str:
    """The text and the picture after it."""
    words = alt.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return f"{text.rstrip()}\n\n![{words}]({url})\n".lstrip("\n")


def _tags(text: str) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, text.split(","))))


def _plan(given: str) -> UUID | None:
    try:
        return UUID(given) if given else None
    except ValueError as error:
        raise Invalid([Problem("plan", "There is no such plan. Choose another.")]) from error
