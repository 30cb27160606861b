"""The OpenAPI document as people read it: each call with what it takes and answers, in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_PLAIN = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
_SEVERAL = {"string": "texts", "integer": "whole numbers", "number": "numbers", "boolean": "yes or no each"}
_DEEPEST = 4
_ANY = 2**31 - 1


@dataclass(frozen=True)
class Field:
    """One name: its kind and, of an object, what it is. `depth`: how many objects it is in."""

    name: str
    kind: str
    words: str
    always: bool
    depth: int


@dataclass(frozen=True)
class Body:
    """What is sent or answered: what it is, and its fields. `label`: a status, or the media types."""

    label: str
    words: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Asked:
    """What may stand behind the `?`."""

    name: str
    kind: str
    words: str


@dataclass(frozen=True)
class Call:
    """A method and a path, what it does in a line, and the rest: options, what it takes and answers.

    Names in words stand in backticks.
    """

    method: str
    path: str
    summary: str
    more: str
    asked: tuple[Asked, ...]
    takes: Body | None
    answers: tuple[Body, ...]


@dataclass(frozen=True)
class Group:
    """The calls about one thing."""

    name: str
    calls: tuple[Call, ...]


def groups_of(document: dict[str, Any], below: str) -> tuple[Group, ...]:
    """Every call, by what its path begins with behind `below`."""
    found: dict[str, list[Call]] = {}
    parts = _Parts(document["components"]["schemas"])
    for path, methods in sorted(document["paths"].items()):
        shown = path.removeprefix(below) or "/"
        name = shown.split("/")[1].capitalize() or "Your key"
        for method, told in methods.items():
            found.setdefault(name, []).append(_call(parts, method.upper(), shown, told))
    return tuple(Group(name, tuple(calls)) for name, calls in found.items())


def _call(parts: "_Parts", method: str, path: str, told: dict[str, Any]) -> Call:
    summary, _, more = (told.get("description") or told.get("summary") or "").partition("\n")
    return Call(
        method=method,
        path=path,
        summary=summary,
        more=" ".join(more.split()),
        asked=tuple(
            Asked(one["name"], parts.kind(one["schema"]), one["description"])
            for one in told.get("parameters", ())
            if one["in"] == "query"
        ),
        takes=_taken(parts, told.get("requestBody")),
        answers=tuple(
            _body(parts, status, one) for status, one in told["responses"].items() if status != "default"
        ),
    )


def _taken(parts: "_Parts", told: dict[str, Any] | None) -> Body | None:
    if told is None:
        return None
    if told["content"].keys() == {"application/json"}:
        return _body(parts, "JSON" if told.get("required") else "JSON, or nothing", told)
    return Body(", ".join(told["content"]), told.get("description", ""), ())


def _body(parts: "_Parts", label: str, told: dict[str, Any]) -> Body:
    schema = next(iter(told.get("content", {}).values()), {}).get("schema")
    if schema is None:
        return Body(label, "Nothing.", ())
    whole = parts.found(schema)
    return Body(label, whole.get("description", ""), tuple(parts.fields(schema)))


class _Parts:
    """The schemas of the document by their names."""

    def __init__(self, schemas: dict[str, Any]) -> None:
        self._schemas = schemas

    def found(self, schema: dict[str, Any]) -> dict[str, Any]:
        """What is really meant: behind a reference, and without the null that it may be."""
        if "$ref" in schema:
            return self._schemas[schema["$ref"].rpartition("/")[2]]
        choices = [one for one in schema.get("oneOf", ()) if one.get("type") != "null"]
        return self.found(choices[0]) if len(choices) == 1 else schema

    def fields(self, schema: dict[str, Any], depth: int = 0) -> Iterator[Field]:
        """Its fields, and those of objects in it behind their own."""
        whole = self.found(schema)
        if whole.get("type") == "array":
            yield from self.fields(whole["items"], depth)
        needed = set(whole.get("required", ()))
        for name, one in whole.get("properties", {}).items():
            inner = self.found(one)
            inner = self.found(inner["items"]) if inner.get("type") == "array" else inner
            words = inner.get("description", "")
            yield Field(name, self.kind(one), words, name in needed, depth)
            if depth < _DEEPEST:
                yield from self.fields(one, depth + 1)

    def kind(self, schema: dict[str, Any]) -> str:
        """What a value is, in words."""
        choices = [self._kind(one) for one in schema.get("oneOf", ()) if one.get("type") != "null"]
        if not choices:
            return self._kind(schema)
        nothing = ["null"] if len(choices) < len(schema["oneOf"]) else []
        return " or ".join(choices + nothing)

    def _kind(self, schema: dict[str, Any]) -> str:
        whole = self.found(schema)
        kind = whole.get("type")
        if words := whole.get("enum") or ([whole["const"]] if "const" in whole else None):
            named = ["null" if word is None else str(word) for word in words]
            return ", ".join(named[:-1]) + " or " * (len(named) > 1) + named[-1]
        if kind == "array":
            inner = self.found(whole["items"])
            return "list of objects" if "properties" in inner else f"list of {self._several(inner)}"
        if kind == "object":
            return (
                "object"
                if "properties" in whole
                else f"{self._several(whole['additionalProperties'])} by name"
            )
        if whole.get("format") in ("date-time", "uuid"):
            return {"date-time": "time", "uuid": "id"}[whole["format"]]
        if "minimum" in whole:
            least, most = int(whole["minimum"]), int(whole["maximum"])
            return f"{least} to {most}" if most < _ANY else f"whole number from {least}"
        return _PLAIN.get(str(kind), "anything")

    def _several(self, schema: dict[str, Any]) -> str:
        whole = self.found(schema)
        return (
            ", ".join(whole["enum"]) if "enum" in whole else _SEVERAL.get(str(whole.get("type")), "anything")
        )
