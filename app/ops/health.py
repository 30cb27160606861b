"""Alive, and ready."""

import asyncio
from collections.abc import Mapping
from typing import Any

from litestar import Request, Response, get

from app.base.errors import Unavailable
from app.ops.findings import find_trouble

_PATIENCE = 3.0  # seconds; a probe must not hang longer than whoever probes


@get("/healthz", include_in_schema=False)
async def healthz() -> Response[Any]:
    """This process answers."""
    return Response({"alive": True}, headers={"Cache-Control": "no-store"})


@get("/readyz", include_in_schema=False)
async def readyz(request: Request) -> Response[Any]:
    """Its database answers too, and what must be done is done: else 503, and a sentence for each thing."""
    try:
        async with asyncio.timeout(_PATIENCE):
            async with request.app.state.database.transaction() as tx:
                found = {one.topic: one.said for one in await find_trouble(tx)}
    except (Unavailable, TimeoutError):
        found = {"database": "does not answer"}
    return _answer(found)


def _answer(found: Mapping[str, str]) -> Response[Any]:
    status, later = (503, {"Retry-After": "5"}) if found else (200, {})
    headers = {"Cache-Control": "no-store", **later}
    return Response({"ready": not found, **found}, status_code=status, headers=headers)


HANDLERS: tuple[Any, ...] = (healthz, readyz)
