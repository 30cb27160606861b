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
from ipaddress import ip_address
from typing import cast

import httpcore

from app.egress.addresses import Address
from app.egress.policies import Policy
from app.egress.refusals import Lost, NotReached
from app.egress.targets import Target

#: Seconds a connection may be idle: less than servers commonly keep one (Node and Apache: 5 s).
IDLE_FOR = 2.0
#: Seconds after which a connection is not kept any more, so that a name that moved is followed.
LIVES_FOR = 60.0
MOST_IDLE = 256
#: Addresses of one name that are tried, and the seconds that each but the last may take.
MOST_TRIED = 4
CONNECT_FOR = 5.0
HEAD_LIMIT = 65536
BODY_LIMIT = 65536
#: What may be read of one answer beside its body: its head, and what frames the pieces of a body.
READ_BESIDE = HEAD_LIMIT + 65536

Key = tuple[bool, str, int]
_SOCKETS = cast(httpcore.AsyncNetworkBackend, httpcore.AnyIOBackend())


def key_of(target: Target) -> Key:
    """Requests of one key may share a connection: one host by name, one port, secured alike."""
    return (target.secure, target.host, target.port)


class Wire(httpcore.AsyncNetworkStream):
    """A socket that writes a request in one go, knows whether it did, and reads only so much."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream
        self.written = False
        self._pieces: list[bytes] = []
        self._wanted = 1
        self._left = 0
        self._deadline = 0.0

    def restart(self, pieces: int, most: int, deadline: float) -> None:
        """The next request starts here: of `pieces` writes (head, body); `most` octets of body are wanted."""
        self.written, self._pieces, self._wanted = False, [], pieces
        self._left, self._deadline = READ_BESIDE + most, deadline

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        """Raises Lost when the other side says more than anybody needs to."""
        if self._left <= 0:
            raise Lost("The server answered with more than Godwit reads.")
        data = await self._stream.read(min(max_bytes, self._left), timeout)
        self._left -= len(data)
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Kept until the request is whole; from then on bytes may have left. Raises NotReached when its time
        is over by then, which a process that was frozen hears from no timer first."""
        if not buffer:
            return
        self._pieces.append(buffer)
        if len(self._pieces) < self._wanted:
            return
        whole, self._pieces, self._wanted = b"".join(self._pieces), [], 1
        if time.monotonic() >= self._deadline:
            raise NotReached("The time for this call was over before it could begin.")
        self.written = True
        await self._stream.write(whole, timeout)

    async def aclose(self) -> None:
        """Hang up."""
        await self._stream.aclose()

    def get_extra_info(self, info: str) -> object:
        """What the socket knows of itself."""
        return self._stream.get_extra_info(info)


class _Http(httpcore.AsyncHTTP11Connection):
    MAX_INCOMPLETE_EVENT_SIZE = HEAD_LIMIT
    READ_NUM_BYTES = 16384

    @property
    def said_more(self) -> bool:
        """Whether there is more than the answer: it would be taken for the next one."""
        return bool(self._h11_state.trailing_data[0])


class Connection:
    """One connection to one address, for one host, port and way of securing."""

    def __init__(
        self, target: Target, address: Address, stream: httpcore.AsyncNetworkStream, idle_for: float
    ) -> None:
        self.key = key_of(target)
        self.address = address
        self.wire = Wire(stream)
        self.used = False
        self.made_at = time.monotonic()
        origin = httpcore.URL(scheme=b"https" if target.secure else b"http",
                              host=target.host.encode(), port=target.port).origin  # fmt: skip
        self.http = _Http(origin, self.wire, keepalive_expiry=idle_for)

    @property
    def gone(self) -> bool:
        """Whether it can carry no other request: closed, idle too long, or it said what nobody asked for."""
        return self.http.is_closed() or self.http.has_expired() or self.http.said_more

    async def close(self) -> None:
        """Hang up."""
        with suppress(Exception):
            await self.http.aclose()


class Idle:
    """Connections that wait for another request, the longest idle first."""

    def __init__(self, idle_for: float, lives_for: float) -> None:
        self.idle_for, self.lives_for = idle_for, lives_for
        self._all: deque[Connection] = deque()
        self._by_key: dict[Key, list[Connection]] = {}
        self._closing: asyncio.Task[None] | None = None

    async def take(self, target: Target, policy: Policy) -> Connection | None:
        """One for `target` whose address `policy` permits, the one used last; unfit ones are closed."""
        mine = self._by_key.get(key_of(target), [])
        while mine:
            found = mine[-1]
            self._remove(found)
            if not found.gone and policy.permits(target, found.address):
                return found
            await found.close()
        return None

    async def put(self, connection: Connection) -> None:
        """Keep it for a while, if it is fit for another request."""
        too_old = time.monotonic() - connection.made_at > self.lives_for
        if too_old or not connection.http.is_idle() or connection.gone:
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
            await asyncio.sleep(self.idle_for / 2)
            for connection in [one for one in self._all if one.gone]:
                if connection in self._all:
                    self._remove(connection)
                    await connection.close()


async def dial(
    target: Target,
    addresses: list[Address],
    tls: ssl.SSLContext | None,
    deadline: float,
    idle_for: float = IDLE_FOR,
) -> Connection:
    """Connect to the first address that answers, IPv4 first; secured for the host's name by `tls`.
    Raises NotReached."""
    reason = NotReached("")
    tried = addresses[:MOST_TRIED]
    for count, address in enumerate(tried, start=1):
        left = deadline - time.monotonic()
        patience = left if count == len(tried) else min(CONNECT_FOR, left / 2)
        try:
            stream = await _dial_one(target, address, tls, max(patience, 0.001))
            return Connection(target, address, stream, idle_for)
        except NotReached as failed:
            reason = failed
    raise reason


async def _dial_one(
    target: Target, address: Address, tls: ssl.SSLContext | None, patience: float
) -> httpcore.AsyncNetworkStream:
    try:
        stream = await _SOCKETS.connect_tcp(str(address), target.port, timeout=patience)
    except httpcore.ConnectTimeout:
        raise NotReached(f"{target.host} did not answer in time when Godwit connected.") from None
    except httpcore.ConnectError:
        raise NotReached(f"No connection to {target.host}: nobody answers at port {target.port}.") from None
    connected = stream.get_extra_info("server_addr")
    if connected is None or ip_address(connected[0]) != address:
        await stream.aclose()
        raise NotReached(f"No connection to {target.host} came about.")
    if not target.secure:
        return stream
    assert tls is not None
    return await _secured(target, stream, tls, patience)


async def _secured(
    target: Target, stream: httpcore.AsyncNetworkStream, tls: ssl.SSLContext, patience: float
) -> httpcore.AsyncNetworkStream:
    try:
        return await stream.start_tls(tls, server_hostname=target.host, timeout=patience)
    except BaseException as error:
        await stream.aclose()
        if isinstance(error, httpcore.ConnectTimeout):
            raise NotReached(
                f"{target.host} did not answer in time when the connection was secured."
            ) from None
        if isinstance(error, Exception):
            raise NotReached(_about_tls(target, error)) from None
        raise


def _about_tls(target: Target, error: BaseException | None) -> str:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"The certificate of {target.host} cannot be trusted: {error.verify_message.rstrip('.')}."
        error = error.__cause__ or error.__context__
    return f"{target.host} does not speak TLS at port {target.port} as it should."
