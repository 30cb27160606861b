"""What may stand behind the `?` of a call of the API: declared at its handler, told in OpenAPI, kept here.

    @get("/readers", opt=asks(*PAGED, Option("tag", "Only readers with this tag.")))

And the file that a call takes, whose handler reads it by itself: `opt=takes("A table.", "text/csv")`.

A misspelt wish is refused, not left out: who asks for `?dryrun=1` must not have their readers imported.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler

from app.base.errors import Invalid, Problem

_OPT, _FILE, _ONCE = "options", "file", "told once"


@dataclass(frozen=True)
class Option:
    """One name, and what it does. `one_of`: the values it may have; `numbers`: the least and the greatest."""

    name: str
    words: str
    one_of: tuple[str, ...] = ()
    numbers: tuple[int, int] | None = None

    @property
    def parameter(self) -> dict[str, Any]:
        """As OpenAPI tells it."""
        schema: dict[str, Any] = {"type": "string"}
        if self.numbers:
            schema = {"type": "integer", "minimum": self.numbers[0], "maximum": self.numbers[1]}
        if self.one_of:
            schema["enum"] = list(self.one_of)
        told = {"name": self.name, "in": "query", "required": False, "schema": schema}
        return told | {"description": self.words}


@dataclass(frozen=True)
class TakenFile:
    """A file as the whole body, of one of these media types, or as a form's `file`."""

    words: str
    types: tuple[str, ...]

    @property
    def body(self) -> dict[str, Any]:
        """As OpenAPI tells it."""
        octets = {"type": "string", "format": "binary", "description": self.words}
        form = {"type": "object", "required": ["file"], "properties": {"file": octets}}
        content = {media_type: {"schema": octets} for media_type in self.types}
        return {
            "description": self.words,
            "required": True,
            "content": content | {"multipart/form-data": {"schema": form}},
        }


class NoSuchOption(Invalid):
    """A call was asked for something that it does not know, or for one thing twice."""

    status = 400
    title = "There is no such option"


def asks(*names: Option) -> dict[str, Any]:
    """The `opt` of a handler that may be asked these."""
    return {_OPT: names}


def options_of(handler: BaseRouteHandler) -> tuple[Option, ...]:
    """What this handler may be asked."""
    return handler.opt.get(_OPT, ())


def takes(words: str, *types: str) -> dict[str, Any]:
    """The `opt` of a handler that takes a file of these media types."""
    return {_FILE: TakenFile(words, types)}


def file_of(handler: BaseRouteHandler) -> TakenFile | None:
    """The file that this handler takes, if it does."""
    return handler.opt.get(_FILE)


def told_once(*fields: str) -> dict[str, Any]:
    """The `opt` of a handler whose answer holds a secret: repeated under its key, these fields are null."""
    return {_ONCE: fields}


def told_once_by(handler: BaseRouteHandler) -> tuple[str, ...]:
    """The fields that this handler's answer holds only once."""
    return handler.opt.get(_ONCE, ())


async def refuse_unknown_options(connection: ASGIConnection, handler: BaseRouteHandler) -> None:
    """A guard. Raises NoSuchOption, which names what its handler does not know, and what it does."""
    known = [one.name for one in options_of(handler)]
    there = f"there are {', '.join(known)}" if known else "this call takes none"
    given = Counter(sorted(name for name, _ in connection.query_params.multi_items()))
    problems = [
        Problem(name[:60], _unknown(name, there) if name not in known else f"{name} is given twice.")
        for name, times in given.items()
        if name not in known or times > 1
    ]
    if problems:
        raise NoSuchOption(problems[:20])


def _unknown(name: str, there: str) -> str:
    return f"There is no option {name[:60]!r} here; {there}."
