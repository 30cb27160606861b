"""/api/docs: what the API takes and answers, as OpenAPI and as a page without a script."""

from dataclasses import dataclass
from typing import Any

from litestar import Request, Response, get
from msgspec import Struct

from app.accounts import ApiCaller
from app.answers import page
from app.base.settings import settings
from app.base.zones import VERSION
from app.web.openapi import document

_BELOW = "/api/v1"


@dataclass(frozen=True)
class Call:
    """One line of the page: a method, a path, what it does, the names that it may be asked."""

    method: str
    path: str
    summary: str
    asked: tuple[str, ...] = ()


class KeyItem(Struct):
    """The slug and the name of the account that a key belongs to, and the key's own name."""

    account: str
    name: str
    key: str


@get("/", summary="Whose key this is")
async def api_root(caller: ApiCaller) -> KeyItem:
    """The account that the key belongs to, and the key's name."""
    return KeyItem(caller.account.slug, caller.account.name, caller.key_name)


@get("/openapi.json")
async def schema(request: Request) -> Response[Any]:
    """The OpenAPI document."""
    return Response(document(request.app), headers={"Cache-Control": "public, max-age=300"})


@get("/")
async def overview(request: Request) -> Response[Any]:
    """The same for people."""
    return page(
        "web/docs.html",
        below=settings().base_url + _BELOW,
        zones=VERSION,
        calls=_calls(document(request.app)),
    )


def _calls(document: dict[str, Any]) -> list[Call]:
    """Every call by path, with its first sentence."""
    found: list[Call] = []
    for path, methods in sorted(document.get("paths", {}).items()):
        for method, told in methods.items():
            words = (told.get("description") or told.get("summary") or "").partition("\n")[0]
            names = tuple(one["name"] for one in told.get("parameters", ()) if one["in"] == "query")
            shown = path.removeprefix(_BELOW) or "/"
            found.append(Call(method.upper(), shown, words.replace("`", ""), names))
    return found


HANDLERS: tuple[Any, ...] = (schema, overview)
