"""Godwit's own processes as they ship, started for a measurement, and asked over a connection."""

import asyncio
import socket
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from app.base.errors import Unavailable

_STEP, _STEPS = 0.02, 1500


@asynccontextmanager
async def web_process() -> AsyncGenerator[int]:
    """`godwit web` on a free port, once it takes connections; answers the port."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
    command = [sys.executable, "-m", "app.cli", "web", "--port", str(port)]
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.DEVNULL)
    try:
        for _ in range(_STEPS):
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                if process.returncode is not None:
                    break
                await asyncio.sleep(_STEP)
            else:
                writer.close()
                yield port
                return
        raise Unavailable("Nothing could be measured: godwit web did not start.")
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def body_of(port: int, path: str, headers: Mapping[str, str]) -> str:
    """The page at `path`. Raises Unavailable when it is anything but 200."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"GET {path} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise Unavailable(f"Nothing could be measured: {path} answers {head[:40].decode('latin-1')}.")
    return body.decode()
