"""/api/docs: what the API takes and answers, as OpenAPI and as a page without a script; webhooks too."""

from typing import Any

from litestar import Request, Response, get
from msgspec import Struct

from app.accounts import ApiCaller
from app.answers import page
from app.base.settings import settings
from app.base.zones import VERSION
from app.web.calls import groups_of
from app.web.openapi import document
from app.webhooks import receivers_page

_BELOW = "/api/v1"


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
        groups=groups_of(document(request.app), _BELOW),
    )


@get("/webhooks")
async def receivers() -> Response[Any]:
    """For whoever writes a program that our webhooks call."""
    return page("webhooks/receivers.html", page=receivers_page())


HANDLERS: tuple[Any, ...] = (schema, overview, receivers)
