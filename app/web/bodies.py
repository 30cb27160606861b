"""What is wrong with a JSON body, in our words: the decoder's own speak of its types."""

import re
from collections.abc import Iterator
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from litestar import Request
from litestar.exceptions import ValidationException
from msgspec.structs import FieldInfo, fields

from app.base.errors import Problem

_KINDS = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
#: What the framework says when there is none.
_NO_BODY = "'data'"
_UNKNOWN = re.compile(r"Object contains unknown field `(.+)`")
_MISSING = re.compile(r"Object missing required field `(.+)`")
_NO_CHOICE = re.compile(r"Invalid enum value '?(.+?)'?(?: - at `|$)")
_OTHER = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")


def problems_of(request: Request, error: ValidationException) -> list[Problem]:
    """A line for each thing that is wrong, under the name of the field it is about."""
    known = _fields(request)
    extra = error.extra if isinstance(error.extra, list) else []
    if any(isinstance(one, dict) and one.get("message") == _NO_BODY for one in extra):
        return [Problem("body", f"There is no body. Send a JSON object: {_listed(known)}.")]
    return [
        _problem(str(one.get("key", "")), str(one.get("message", "")).rstrip("."), known)
        for one in extra
        if isinstance(one, dict)
    ]


def _problem(key: str, said: str, known: tuple[FieldInfo, ...]) -> Problem:
    within = key.removeprefix("data").removeprefix(".").replace("[...]", "")
    if found := _UNKNOWN.match(said):
        has = f" Known are {_names(known)}." if known and not within else ""
        return Problem(_under(within, found[1]), f"There is no field {found[1]} here.{has}")
    if found := _MISSING.match(said):
        return Problem(_under(within, found[1]), f"{found[1]} is missing, and needed.")
    if found := _OTHER.match(said):
        wanted, got = (_kinds(one) for one in found.groups())
        if key.endswith("[...]"):
            return Problem(
                within or "body", f"Each in {within or 'the body'} has to be {wanted}; one is {got}."
            )
        return Problem(within or "body", f"{within or 'The body'} has to be {wanted}, and is {got}.")
    if found := _NO_CHOICE.match(said):
        choices = next((list(_choices(one.type)) for one in known if one.encode_name == within), [])
        told = f" Give one of {', '.join(choices)}." if choices else ""
        return Problem(within or "body", f"{within or 'The body'} cannot be “{found[1][:80]}”.{told}")
    return Problem(within or "body", f"{said}.")


def _choices(annotation: Any) -> Iterator[str]:
    """The words that a field takes, also within a union or a list."""
    if get_origin(annotation) is Literal:
        yield from (str(word) for word in get_args(annotation))
    elif isinstance(annotation, type) and issubclass(annotation, Enum):
        yield from (str(one.value) for one in annotation)
    else:
        for part in get_args(annotation):
            yield from _choices(part)


def _fields(request: Request) -> tuple[FieldInfo, ...]:
    handler = request.scope.get("route_handler")
    field: Any = getattr(handler, "parsed_data_field", None)
    try:
        return fields(field.annotation)
    except (AttributeError, TypeError):  # no body is taken here, or not one of our making
        return ()


def _listed(known: tuple[FieldInfo, ...]) -> str:
    needed = [one for one in known if one.required]
    optional = [one for one in known if not one.required]
    if not needed:
        return f"it may have {_names(tuple(optional))}" if optional else "see /api/docs"
    return f"it needs {_names(tuple(needed))}" + (
        f" and may have {_names(tuple(optional))}" if optional else ""
    )


def _names(known: tuple[FieldInfo, ...]) -> str:
    return ", ".join(one.encode_name for one in known)


def _under(within: str, name: str) -> str:
    return f"{within}.{name}" if within else name


def _kinds(told: str) -> str:
    return " or ".join(_KINDS.get(one, one) for one in told.split(" | "))
