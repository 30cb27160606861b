"""The OpenAPI document, with what every call has in common: the key, the address, how errors are told."""

import inspect
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, get_args

from litestar import Litestar
from litestar.handlers.base import BaseRouteHandler
from litestar.routes import HTTPRoute
from msgspec import Struct, structs

from app.answers import file_of, options_of
from app.base.settings import settings

_PROBLEM: dict[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "errors"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong and what to do, in sentences."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            },
        },
    },
}
_ANY_ERROR: dict[str, Any] = {
    "description": "What went wrong: 400 for an option that is not there, 401 without a key, 404,"
    " 409 when it does not fit what is there,"
    " 422 naming each field, 429 with Retry-After.",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
_KEY: dict[str, Any] = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "maxLength": 255},
    "description": "The same key gives the first answer again, for 24 hours.",
}


@lru_cache(maxsize=1)
def document(app: Litestar) -> dict[str, Any]:
    """The description of every call of `app`, made once (30 ms): read it, change nothing."""
    told = app.openapi_schema.to_schema()
    told["servers"] = [{"url": settings().base_url}]
    told["security"] = [{"key": []}]
    parts = told.setdefault("components", {})
    schemas = parts.setdefault("schemas", {})
    schemas["Problem"] = _PROBLEM
    parts["securitySchemes"] = {
        "key": {"type": "http", "scheme": "bearer", "description": "A key of the publication: gdw_…"}
    }
    handlers = _handlers(app)
    for struct in {one for handler in handlers.values() for one in _structs_of(handler)}:
        if struct.__name__ in schemas:
            schemas[struct.__name__]["description"] = inspect.cleandoc(struct.__doc__ or "")
    for path, methods in told.get("paths", {}).items():
        for method, call in methods.items():
            call["responses"].pop("400", None)
            call["responses"]["default"] = _ANY_ERROR
            handler = handlers[path, method]
            others = [one for one in call.pop("parameters", []) if one["in"] != "query"]
            parameters = others + [one.parameter for one in options_of(handler)]
            if taken := file_of(handler):
                call["requestBody"] = taken.body
            if parameters:
                call["parameters"] = parameters
            if method == "post":
                call.setdefault("parameters", []).append(_KEY)
    return told


def _handlers(app: Litestar) -> dict[tuple[str, str], BaseRouteHandler]:
    """Who answers each call, by its path and method (in small letters)."""
    return {
        (route.path_format, method.lower()): handler
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for handler in route.route_handlers
        for method in handler.http_methods
    }


def _structs_of(handler: BaseRouteHandler) -> Iterator[type[Struct]]:
    """What it takes and answers, and what is in that."""
    told = [handler.parsed_return_field, handler.parsed_data_field]
    others = getattr(handler, "responses", None) or {}
    for annotation in [one.annotation for one in told if one] + [
        one.data_container for one in others.values()
    ]:
        yield from _structs_in(annotation)


def _structs_in(annotation: Any) -> Iterator[type[Struct]]:
    if isinstance(annotation, type) and issubclass(annotation, Struct):
        yield annotation
        for field in structs.fields(annotation):
            yield from _structs_in(field.type)
    for part in get_args(annotation):
        yield from _structs_in(part)
