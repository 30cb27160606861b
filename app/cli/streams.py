"""Ending open streams when the web process is asked to stop.

A stream (the live broadcast page) never ends by itself, and uvicorn waits for it as long
as it may. Told that its visitor left, it ends at once; the browser comes back to the next
process. Whoever is still sending us a body, or is being answered, is left in peace.
"""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Application = Callable[[Message, Receive, Callable[[Message], Awaitable[None]]], Awaitable[None]]


class EndingStreams:
    """Wraps an ASGI application. After `end()`, who waits for a visitor to leave is told that they left."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._ending = asyncio.Event()

    def end(self) -> None:
        """To be called in the event loop."""
        self._ending.set()

    async def __call__(
        self, scope: Message, receive: Receive, send: Callable[[Message], Awaitable[None]]
    ) -> None:
        """Serve one request, or the lifespan."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        body_arrived = False

        async def receive_or_end() -> Message:
            nonlocal body_arrived
            if not body_arrived:
                message = await receive()
                body_arrived = not message.get("more_body", False)
                return message
            return await self._first_of(receive)

        await self._application(scope, receive_or_end, send)

    async def _first_of(self, receive: Receive) -> Message:
        arrival = asyncio.ensure_future(receive())
        ending = asyncio.ensure_future(self._ending.wait())
        try:
            await asyncio.wait((arrival, ending), return_when=asyncio.FIRST_COMPLETED)
            return arrival.result() if arrival.done() else {"type": "http.disconnect"}
        finally:
            arrival.cancel()
            ending.cancel()
