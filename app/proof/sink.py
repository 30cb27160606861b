"""A receiver that costs next to nothing: `python -m app.proof.sink PORT [CERTIFICATE:KEY]` answers 200 to
whatever comes; at /once it hangs up after each answer."""

import asyncio
import ssl
import sys
from typing import cast

import uvloop

_KEPT = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
_ONCE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"


class Sink(asyncio.Protocol):
    """One connection; requests name their length."""

    def __init__(self) -> None:
        self._held = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's are not of that class

    def data_received(self, data: bytes) -> None:
        self._held += data
        while (end := self._held.find(b"\r\n\r\n")) >= 0:
            head = self._held[:end].lower()
            at = head.find(b"content-length:")
            whole = end + 4 + (int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0)
            if len(self._held) < whole:
                return
            self._held = self._held[whole:]
            once = head.startswith(b"post /once ")
            self._transport.write(_ONCE if once else _KEPT)
            if once:
                self._transport.close()


async def serve(port: int, certificate: str, key: str) -> None:
    """Listen on this machine, until somebody ends it."""
    context = None
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
    server = await asyncio.get_running_loop().create_server(Sink, "127.0.0.1", port, ssl=context)
    await server.serve_forever()


if __name__ == "__main__":
    shown, _, secret = (sys.argv[2] if len(sys.argv) > 2 else "").partition(":")
    uvloop.run(serve(int(sys.argv[1]), shown, secret))
