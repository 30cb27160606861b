"""What the editor's page is given, and how a form becomes a Writing."""

from dataclasses import dataclass
from uuid import UUID

from markupsafe import Markup

from app.answers import Form
from app.base.errors import GodwitError, Invalid, Problem
from app.posts import markdown
from app.posts.drafts import Draft
from app.posts.revisions import on_screen
from app.posts.writing import Writing

MOST = 20_000_000
"""Characters a field may bring: more than is taken, so that the limit that is told is the slice's own."""


@dataclass(frozen=True)
class Editing:
    """One post on the desk. `version` 0: not saved yet; `theirs`: what somebody else saved meanwhile."""

    post_id: UUID
    version: int
    writing: Writing
    state: str = "draft"
    draft: Draft | None = None
    live_url: str = ""
    problems: tuple[Problem, ...] = ()
    theirs: Draft | None = None

    @property
    def preview(self) -> Markup:
        """The text as the site will show it; a sentence when it cannot be shown."""
        try:
            return on_screen(markdown.to_html(self.writing.markdown, fields=False))
        except GodwitError as error:
            return Markup("<p>{}</p>").format(error.detail)


def writing_of(form: Form) -> Writing:
    """What was typed. Raises Invalid for what no field may hold."""
    return Writing(
        title=form.text("title", most=MOST),
        markdown=form.text("markdown", most=MOST),
        excerpt=form.text("excerpt", most=MOST),
        slug=form.text("slug", most=MOST),
        tags=tuple(tag.strip() for tag in form.text("tags", most=MOST).split(",") if tag.strip()),
    )


def as_typed(form: Form) -> Writing:
    """What was typed, to be shown again when it cannot be saved."""
    title, markdown, excerpt, slug, tags = map(form.typed, ("title", "markdown", "excerpt", "slug", "tags"))
    return Writing(title, markdown, excerpt, slug, tuple(filter(None, map(str.strip, tags.split(",")))))


def version_of(form: Form) -> int:
    """The version that the save started from; the one it overwrites, when that was asked for."""
    given = form.text("over") or form.text("version") or "0"
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        raise Invalid([Problem("version", "The version of this draft is missing. Load the page again.")])
    return int(given)
