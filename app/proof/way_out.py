"""How fast the guarded way out is, beside httpcore without a guard, in turn."""

import asyncio
import ssl
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import httpcore

from app.egress import Client, Policy, target_of
from app.fakes import self_made
from app.proof.figures import Part, Rate, Scale
from app.proof.processes import running

AT_ONCE = 32
_CALLS, _BARE, _NEW = 3000, 600, 300
_WANTED = 1500.0  # deliveries a second that one worker is to make
_BODY = b'{"type":"release.published","data":{' + b'"post":"x",' * 130 + b'"release":1}}'
_HEADERS = [
    ("Content-Type", "application/json"),
    ("User-Agent", "Godwit"),
    ("webhook-id", "evt_0000000000000000000000"),
    ("webhook-timestamp", "1764500000"),
    ("webhook-signature", f"v1,{'A' * 43}="),
]
_RAW = [*_HEADERS, ("Content-Length", str(len(_BODY)))]

Call = Callable[[], Awaitable[object]]


async def calls(scale: Scale) -> Sequence[Rate]:
    """Receivers of their own, one of them over TLS; every way in turn, as often as the scale says."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="godwit-bench-")))
        made = self_made(folder)
        plain = await stack.enter_async_context(running("app.proof.sink"))
        secured = await stack.enter_async_context(
            running("app.proof.sink", last=f"{made.certificate}:{made.key}")
        )
        ways = _ways(plain, secured, made.for_client(), stack)
        found: dict[str, list[float]] = {what: [] for what in ways}
        for _ in range(scale.times):
            for what, (call, times, _target) in ways.items():
                found[what].append(await _a_second(call, min(times, scale.jobs)))
    at = f"{AT_ONCE} at once, {len(_BODY):,} bytes each"
    return [Rate(what, tuple(found[what]), target, at) for what, (_, _, target) in ways.items()]


def _ways(
    plain: int, secured: int, tls: ssl.SSLContext, stack: AsyncExitStack
) -> dict[str, tuple[Call, int, float | None]]:
    client = Client(Policy(allow_hosts=frozenset({("127.0.0.1", plain), ("127.0.0.1", secured)})), tls=tls)
    stack.push_async_callback(client.close)
    bare = httpcore.AsyncConnectionPool(max_connections=AT_ONCE)
    stack.push_async_callback(bare.aclose)
    bare_tls = httpcore.AsyncConnectionPool(max_connections=AT_ONCE, ssl_context=tls)
    stack.push_async_callback(bare_tls.aclose)
    kept, kept_tls = f"http://127.0.0.1:{plain}/r/1", f"https://127.0.0.1:{secured}/r/1"
    return {
        "calls on connections that are kept": (_guarded(client, kept), _CALLS, _WANTED),
        "the same by httpcore's own pool, unguarded": (_unguarded(bare, kept), _BARE, None),
        "calls over TLS on connections that are kept": (_guarded(client, kept_tls), _CALLS, _WANTED),
        "the same over TLS by httpcore's own pool": (_unguarded(bare_tls, kept_tls), _BARE, None),
        "calls over TLS on a new connection each": (
            _guarded(client, f"https://127.0.0.1:{secured}/once"),
            _NEW,
            None,
        ),
    }


def _guarded(client: Client, url: str) -> Call:
    target, loop = target_of(url), asyncio.get_running_loop()
    return lambda: client.post(target, _HEADERS, _BODY, deadline=loop.time() + 15)


def _unguarded(pool: httpcore.AsyncConnectionPool, url: str) -> Call:
    return lambda: pool.request("POST", url, headers=_RAW, content=_BODY)


async def _a_second(call: Call, times: int) -> float:
    left = times

    async def one() -> None:
        nonlocal left
        while left > 0:
            left -= 1
            await call()

    begun = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(AT_ONCE)))
    return times / (time.perf_counter() - begun)


EGRESS = (Part("calls to addresses that others chose", {}, (), calls, ("jobs", "times")),)
