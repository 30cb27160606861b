"""Connections: each goes to one checked address, and stays bound to it for as long as it lives.

httpcore's own pool neither tells a connection being made from one in use, nor asks again before one is used
again; both matter here. So its protocol (`AsyncHTTP11Connection`) and its sockets are used, and who may reuse
what is decided by these few lines.
"""

import asyncio
import ssl
import time
from collections import deque
from contextlib import suppress
from typing import cast

import httpcore

from app.egress.addresses import Address
from app.egress.policies import Policy
from app.egress.refusals import Lost, NotReached
from app.egress.targets import Target

#: Seconds a connection may be idle: less than servers commonly keep one (Node and Apache: 5 s).
IDLE_FOR = 2.0
#: Seconds after which a connection is not used again, so that a name that moved is followed.
LIVES_FOR = 60.0
MOST_IDLE = 256
#: Addresses of one name that are tried, and the seconds that each but the last may take.
MOST_TRIED = 4
CONNECT_FOR = 5.0
HEAD_LIMIT = 65536
BODY_LIMIT = 65536
#: All that is read of one answer: head, body, and what frames it.
READ_LIMIT = HEAD_LIMIT + BODY_LIMIT + 65536

Key = tuple[bool, str, int]
_SOCKETS = cast(httpcore.AsyncNetworkBackend, httpcore.AnyIOBackend())


class Wire(httpcore.AsyncNetworkStream):
    """A socket that knows whether anything was written for this request, and reads only so much."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream
        self.written = False
        self._left = READ_LIMIT

    def restart(self) -> None:
        """The next request starts here."""
        self.written, self._left = False, READ_LIMIT

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        """Raises Lost when the other side says more than anybody needs to."""
        if self._left <= 0:
            raise Lost("The server answered with more than Godwit reads.")
        data = await self._stream.read(min(max_bytes, self._left), timeout)
        self._left -= len(data)
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """From the first call on, bytes may have left."""
        self.written = self.written or bool(buffer)
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """Hang up."""
        await self._stream.aclose()

    def get_extra_info(self, info: str) -> object:
        """What the socket knows of itself."""
        return self._stream.get_extra_info(info)


class _Http(httpcore.AsyncHTTP11Connection):
    MAX_INCOMPLETE_EVENT_SIZE = HEAD_LIMIT
    READ_NUM_BYTES = 16384


class Connection:
    """One connection to one address, for one host, port and way of securing."""

    def __init__(self, target: Target, address: Address, stream: httpcore.AsyncNetworkStream) -> None:
        self.key: Key = (target.secure, target.host, target.port)
        self.address = address
        self.wire = Wire(stream)
        self.used = False
        self._made_at = time.monotonic()
        origin = httpcore.URL(scheme=b"https" if target.secure else b"http",
                              host=target.host.encode(), port=target.port).origin  # fmt: skip
        self.http = _Http(origin, self.wire, keepalive_expiry=IDLE_FOR)

    @property
    def gone(self) -> bool:
        """Whether it must not carry another request: closed, too long idle, too old, or something was said on
        it that nobody asked for."""
        if self.http.is_closed() or self.http.has_expired():
            return True
        return self.used and time.monotonic() - self._made_at > LIVES_FOR

    async def close(self) -> None:
        """Hang up."""
        with suppress(Exception):
            await self.http.aclose()


class Idle:
    """Connections that wait for another request, the longest idle first."""

    def __init__(self) -> None:
        self._all: deque[Connection] = deque()
        self._by_key: dict[Key, list[Connection]] = {}
        self._closing: asyncio.Task[None] | None = None

    async def take(self, target: Target, policy: Policy) -> Connection | None:
        """One for `target` whose address `policy` permits, the one used last; unfit ones are closed."""
        mine = self._by_key.get((target.secure, target.host, target.port), [])
        while mine:
            found = mine[-1]
            self._remove(found)
            if not found.gone and policy.permits(target, found.address):
                return found
            await found.close()
        return None

    async def put(self, connection: Connection) -> None:
        """Keep it for a while, if it is fit for another request."""
        if not connection.http.is_idle() or connection.gone:
            await connection.close()
            return
        self._all.append(connection)
        self._by_key.setdefault(connection.key, []).append(connection)
        if len(self._all) > MOST_IDLE:
            oldest = self._all[0]
            self._remove(oldest)
            await oldest.close()
        if self._closing is None or self._closing.done():
            self._closing = asyncio.create_task(self._close_the_old())

    async def close(self) -> None:
        """Hang up on all of them."""
        if self._closing is not None:
            self._closing.cancel()
        while self._all:
            oldest = self._all[0]
            self._remove(oldest)
            await oldest.close()

    def _remove(self, connection: Connection) -> None:
        self._all.remove(connection)
        mine = self._by_key[connection.key]
        mine.remove(connection)
        if not mine:
            del self._by_key[connection.key]

    async def _close_the_old(self) -> None:
        while self._all:
            await asyncio.sleep(IDLE_FOR / 2)
            for connection in [one for one in self._all if one.gone]:
                if connection in self._all:
                    self._remove(connection)
                    await connection.close()


async def dial(target: Target, addresses: list[Address], tls: ssl.SSLContext, deadline: float) -> Connection:
    """Connect to the first address that answers, IPv4 first; secured for the host's name when it is https.
    Raises NotReached."""
    reason = NotReached("")
    tried = addresses[:MOST_TRIED]
    for count, address in enumerate(tried, start=1):
        left = deadline - time.monotonic()
        patience = left if count == len(tried) else min(CONNECT_FOR, left / 2)
        try:
            return await _dial_one(target, address, tls, max(patience, 0.001))
        except NotReached as failed:
            reason = failed
    raise reason


async def _dial_one(target: Target, address: Address, tls: ssl.SSLContext, patience: float) -> Connection:
    try:
        stream = await _SOCKETS.connect_tcp(str(address), target.port, timeout=patience)
    except httpcore.ConnectTimeout:
        raise NotReached(f"{target.host} did not answer in time when Godwit connected.") from None
    except httpcore.ConnectError:
        raise NotReached(f"No connection to {target.host}: nobody answers at port {target.port}.") from None
    connected = stream.get_extra_info("server_addr")
    if connected is None or connected[0] != str(address):
        await stream.aclose()
        raise NotReached(f"No connection to {target.host} came about.")
    if target.secure:
        try:
            stream = await stream.start_tls(tls, server_hostname=target.host, timeout=patience)
        except httpcore.ConnectTimeout:
            raise NotReached(
                f"{target.host} did not answer in time when the connection was secured."
            ) from None
        except Exception as error:
            raise NotReached(_about_tls(target, error)) from None
    return Connection(target, address, stream)


def _about_tls(target: Target, error: BaseException | None) -> str:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"The certificate of {target.host} cannot be trusted: {error.verify_message.rstrip('.')}."
        error = error.__cause__ or error.__context__
    return f"{target.host} does not speak TLS at port {target.port} as it should."
