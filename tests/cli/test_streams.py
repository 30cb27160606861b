"""Open streams end when the process is asked to stop; nobody else is disturbed."""

import asyncio
from typing import Any

from app.cli.streams import EndingStreams


class Visitor:
    """Sends a body in two pieces, when told to, and never leaves."""

    def __init__(self) -> None:
        self.body: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def send(self, message: Any) -> None:
        """Nothing here reads the answer."""


async def test_a_stream_is_told_that_its_visitor_left() -> None:
    heard: list[Any] = []

    async def stream(scope: Any, receive: Any, send: Any) -> None:
        heard.extend([await receive(), await receive()])

    visitor, application = Visitor(), EndingStreams(stream)
    serving = asyncio.ensure_future(application({"type": "http"}, visitor.body.get, visitor.send))
    await visitor.body.put({"type": "http.request", "body": b"", "more_body": False})
    await asyncio.wait([serving], timeout=0.05)
    assert not serving.done()
    application.end()
    await asyncio.wait_for(serving, 5)
    assert [message["type"] for message in heard] == ["http.request", "http.disconnect"]


async def test_a_body_under_way_arrives_whole() -> None:
    heard: list[bytes] = []

    async def upload(scope: Any, receive: Any, send: Any) -> None:
        heard.extend([(await receive())["body"], (await receive())["body"]])

    visitor, application = Visitor(), EndingStreams(upload)
    serving = asyncio.ensure_future(application({"type": "http"}, visitor.body.get, visitor.send))
    await visitor.body.put({"type": "http.request", "body": b"one", "more_body": True})
    application.end()
    await visitor.body.put({"type": "http.request", "body": b"two", "more_body": False})
    await asyncio.wait_for(serving, 5)
    assert heard == [b"one", b"two"]
