"""Front matter: what a post's text says of itself between `---` lines at the very top."""

import re
from typing import Any, cast

import yaml

from app.base.errors import Invalid, Problem

MAX_FRONT_MATTER = 4_000
_FRONT_MATTER = re.compile(
    r"---[ \t]*\r?\n(?=[A-Za-z_]+[ \t]*:)(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)


def split(markdown: str) -> tuple[str | None, str]:
    """Front matter and body. A post that merely begins with a rule has no front matter."""
    markdown = markdown.removeprefix("\ufeff")
    found = _FRONT_MATTER.match(markdown)
    return (found[1], markdown[found.end() :]) if found else (None, markdown)


def read(head: str | None) -> dict[str, Any]:
    """What front matter tells; see `markdown.front_matter`. Raises Invalid."""
    if head is None:
        return {}
    if len(head) > MAX_FRONT_MATTER:
        raise _invalid(f"The front matter is longer than {MAX_FRONT_MATTER:,} characters.")
    try:
        # BaseLoader makes every scalar a string: a title of `No`, `1984` or `2021-13-01` is a title.
        given: Any = yaml.load(head, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        place = "" if line is None else f" (line {line + 2})"
        message = f"The front matter cannot be read as YAML{place}. Put text with a colon in quotes."
        raise _invalid(message) from None
    if not isinstance(given, dict):
        raise _invalid("The front matter must be lines such as `title: My post`.")
    return _known(cast(dict[str, Any], given))


def _known(given: dict[str, Any]) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for name, most in (("title", 300), ("excerpt", 500)):
        value = given.get(name, "")
        if not isinstance(value, str) or len(value) > most:
            raise _invalid(f"`{name}` in the front matter must be one text of at most {most} characters.")
        if value.strip():
            known[name] = value.strip()
    tags: Any = given.get("tags", [])
    listed = cast(list[Any], tags.split(",") if isinstance(tags, str) else tags)
    if not isinstance(listed, list) or len(listed) > 30 or not all(isinstance(tag, str) for tag in listed):
        raise _invalid("`tags` in the front matter must be a list of at most 30, such as `[birds, travel]`.")
    if any(len(tag) > 60 for tag in listed):
        raise _invalid("A tag in the front matter may have at most 60 characters.")
    if tags := list(dict.fromkeys(tag.strip() for tag in listed if tag.strip())):
        known["tags"] = tags
    return known


def _invalid(message: str) -> Invalid:
    return Invalid([Problem("markdown", message)])
