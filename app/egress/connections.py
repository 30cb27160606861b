"""Connections: each goes to one checked address, and stays bound to it for as long as it lives.

httpcore's own pool neither tells a connection being made from one in use, nor asks again before one is used
again; both matter here. So its protocol (`AsyncHTTP11Connection`) is used, and who may reuse what is decided
by these few lines.
"""

import asyncio
import ssl
import time
from collections import deque
from contextlib import suppress
from ipaddress import ip_address
from typing import Any

import httpcore

from app.egress.addresses import Address
from app.egress.policies import Policy
from app.egress.refusals import NotReached
from app.egress.targets import Target
from app.egress.wires import Wire

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


def key_of(target: Target) -> Key:
    """Requests of one key may share a connection: one host by name, one port, secured alike."""
    return (target.secure, target.host, target.port)


class _Http(httpcore.AsyncHTTP11Connection):
    MAX_INCOMPLETE_EVENT_SIZE = HEAD_LIMIT
    READ_NUM_BYTES = 16384

    @property
    def said_more(self) -> bool:
        """Whether there is more than the answer: it would be taken for the next one."""
        return bool(self._h11_state.trailing_data[0])


class Connection:
    """One connection to one address, for one host, port and way of securing."""

    def __init__(self, target: Target, address: Address, wire: Wire, idle_for: float) -> None:
        self.key = key_of(target)
        self.address = address
        self.wire = wire
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
            async with asyncio.timeout(patience):
                wire = await _dial_one(target, address, tls)
            return Connection(target, address, wire, idle_for)
        except TimeoutError:
            reason = NotReached(f"{target.host} did not answer in time when Godwit connected.")
        except NotReached as failed:
            reason = failed
    raise reason


async def _dial_one(target: Target, address: Address, tls: ssl.SSLContext | None) -> Wire:
    assert tls is not None or not target.secure
    secured: dict[str, Any] = {"ssl": tls, "server_hostname": target.host, "ssl_shutdown_timeout": 1.0}
    try:
        transport, wire = await asyncio.get_running_loop().create_connection(
            Wire, str(address), target.port, **(secured if target.secure else {})
        )
    except ssl.SSLError as error:
        raise NotReached(_about_tls(target, error)) from None
    except (ConnectionResetError, ConnectionAbortedError):
        raise NotReached(f"{target.host} hung up at port {target.port} when Godwit connected.") from None
    except OSError:
        raise NotReached(f"No connection to {target.host}: nobody answers at port {target.port}.") from None
    connected = transport.get_extra_info("peername")
    if connected is None or ip_address(connected[0]) != address:
        await wire.aclose()
        raise NotReached(f"No connection to {target.host} came about.")
    return wire


def _about_tls(target: Target, error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"The certificate of {target.host} cannot be trusted: {error.verify_message.rstrip('.')}."
    return f"{target.host} does not speak TLS at port {target.port} as it should."
