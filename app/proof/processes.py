"""Processes started for a measurement: Godwit's own as they ship, and load tools."""

import asyncio
import socket
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeVar

import msgspec

from app.base.errors import Unavailable

_STEP, _STEPS = 0.02, 1500
Told = TypeVar("Told")


def web_process() -> AbstractAsyncContextManager[int]:
    """`godwit web` on a free port, once it takes connections; answers the port."""
    return running("app.cli", "web", "--port")


@asynccontextmanager
async def running(module: str, *words: str, last: str = "") -> AsyncGenerator[int]:
    """A process of Python on a free port, once it takes connections; answers the port."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
    command = [sys.executable, "-m", module, *words, str(port), *([last] if last else [])]
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
        raise Unavailable(f"Nothing could be measured: {module} did not start.")
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def told_by(module: str, order: msgspec.Struct, kind: type[Told], patience: float) -> Told:
    """What a tool in a process of its own tells of the order. Raises Unavailable after `patience` seconds."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(patience):
            told, _ = await process.communicate(msgspec.json.encode(order))
    except TimeoutError as error:
        raise Unavailable(f"Nothing could be measured: {module} did not come to its end.") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise Unavailable(f"Nothing could be measured: {module} ended with {process.returncode}.")
    return msgspec.json.decode(told, type=kind)


@asynccontextmanager
async def at_work(
    module: str, order: msgspec.Struct, kind: type[Told]
) -> AsyncGenerator[Callable[[], Awaitable[Told]]]:
    """A tool in a process of its own, which reads a line, says one, and works until its input ends.

    Answers what ends it, and tells what it tells. Raises Unavailable when it ends badly.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    given, answered = process.stdin, process.stdout
    assert given is not None
    assert answered is not None
    given.write(msgspec.json.encode(order) + b"\n")
    await given.drain()
    await answered.readline()

    async def end() -> Told:
        given.close()
        told = await answered.read()
        if await process.wait():
            raise Unavailable(f"Nothing could be measured: {module} ended with {process.returncode}.")
        return msgspec.json.decode(told, type=kind)

    try:
        yield end
    finally:
        if process.returncode is None:
            process.kill()
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
