"""A mail's subject, text and HTML from its folder in templates/email/, styles written into the tags.

An environment of its own, without anything of the web: workers render too.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import css_inline
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from app.base.addresses import display

TEMPLATES = Path(__file__).parents[2] / "templates"


@dataclass(frozen=True)
class RenderedMessage:
    """What a mail says: a subject on one line, plain text, HTML if it has any."""

    subject: str
    text: str
    html: str | None


def render_message(name: str, **context: Any) -> RenderedMessage:
    """Render templates/email/{name}/. Raises UndefinedError when something it needs is missing."""
    environment = _environment()
    folder = f"email/{name}"
    subject = environment.get_template(f"{folder}/subject.txt").render(context)
    text = environment.get_template(f"{folder}/body.txt").render(context)
    html = environment.get_template(f"{folder}/body.html").render(context)
    return RenderedMessage(" ".join(subject.split()), text.strip() + "\n", _inliner().inline(html))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
    )
    environment.filters["address"] = display
    return environment


@cache
def _inliner() -> css_inline.CSSInliner:
    # What depends on the screen (dark, narrow) cannot stand in a tag: the style sheet stays as well.
    return css_inline.CSSInliner(keep_style_tags=True, load_remote_stylesheets=False)
