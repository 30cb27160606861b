"""Alive, and ready."""

import asyncio
from typing import Any

from litestar import Request, Response, get

from app.base.errors import Unavailable
from app.jobs import overdue_seconds

_PATIENCE = 3.0  # seconds; a probe must not hang longer than whoever probes
_TOO_OLD = 300.0  # seconds; work that waits this long has nobody who does it


@get("/healthz", include_in_schema=False)
async def healthz() -> Response[Any]:
    """This process answers."""
    return Response({"alive": True}, headers={"Cache-Control": "no-store"})


@get("/readyz", include_in_schema=False)
async def readyz(request: Request) -> Response[Any]:
    """Its database answers too, and no due work has been waiting for minutes."""
    try:
        async with asyncio.timeout(_PATIENCE):
            async with request.app.state.database.transaction() as tx:
                waiting = await overdue_seconds(tx)
    except (Unavailable, TimeoutError):
        body = {"ready": False, "database": "does not answer"}
        return Response(body, status_code=503, headers={"Cache-Control": "no-store", "Retry-After": "5"})
    if waiting > _TOO_OLD:
        body = {"ready": False, "due_work": f"has waited {waiting:.0f} seconds: is a worker running?"}
        return Response(body, status_code=503, headers={"Cache-Control": "no-store", "Retry-After": "5"})
    return Response({"ready": True}, headers={"Cache-Control": "no-store"})


HANDLERS: tuple[Any, ...] = (healthz, readyz)
