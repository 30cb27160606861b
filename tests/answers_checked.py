"""A program of the API that holds every answer against the OpenAPI document that Godwit serves."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import httpx
from jsonschema import Draft202012Validator, FormatChecker

HERE = "/api/v1"
_PLACE = re.compile(r"\{\w+\}")
_FORMATS = FormatChecker(formats=())


@_FORMATS.checks("date-time", raises=ValueError)
def _is_time(value: object) -> bool:
    return not isinstance(value, str) or (
        datetime.fromisoformat(value).tzinfo is not None and value[-1] == "Z"
    )


def _strict(schema: Any) -> Any:
    """The schema, in which an object has what it declares and nothing else."""
    if isinstance(schema, list):
        return [_strict(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    made = {name: _strict(value) for name, value in schema.items()}
    return {"additionalProperties": False} | made if "properties" in made else made


class Described:
    """What the document says; `asked` are the answers that were looked at."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.paths: dict[str, dict[str, Any]] = document["paths"]
        self.asked: set[tuple[str, str, int]] = set()
        self._parts = {"schemas": _strict(document["components"]["schemas"])}

    def good_ends(self) -> set[tuple[str, str, int]]:
        """Every answer that means well: method, path and status."""
        return {
            (method.upper(), path, int(status))
            for path, methods in self.paths.items()
            for method, call in methods.items()
            for status in call["responses"]
            if status != "default"
        }

    def problems(self, method: str, path: str, answer: httpx.Response) -> list[str]:
        """What of an answer is not as declared."""
        told = self.paths[path][method.lower()]["responses"]
        declared = told.get(str(answer.status_code)) or (told["default"] if answer.is_error else None)
        if declared is None:
            return [f"{answer.status_code} is not declared"]
        self.asked.add((method, path, answer.status_code))
        content = declared.get("content", {})
        if not content:
            return ["it has a body"] if answer.content else []
        kind = answer.headers.get("content-type", "").partition(";")[0]
        if kind not in content:
            return [f"{kind!r} is not declared"]
        return self.misfits(content[kind]["schema"], answer.json())

    def misfits(self, schema: dict[str, Any], body: Any) -> list[str]:
        """Where a body leaves its schema."""
        whole = _strict(schema) | {"components": self._parts}
        found = Draft202012Validator(whole, format_checker=_FORMATS).iter_errors(body)
        return [f"{one.json_path}: {one.message}" for one in found]


class Program:
    """Asks by the document's own paths: `await program("GET", "/readers/{reader_id}", ID)`."""

    def __init__(self, client: httpx.AsyncClient, described: Described) -> None:
        self.client, self.described = client, described

    async def __call__(self, method: str, path: str, *ids: Any, **how: Any) -> Any:
        """The body of an answer that is as declared; its status, when that is no 2xx, is `status`."""
        status = how.pop("status", None)
        where, given = HERE + path, iter(ids)
        asked = _PLACE.sub(lambda _: str(next(given)), path)
        answer = await self.client.request(method, asked, **how)
        assert answer.status_code == status if status else answer.is_success, (asked, answer.text)
        assert self.described.problems(method, where, answer) == [], (method, path, answer.text)
        return answer.json() if answer.content else None
