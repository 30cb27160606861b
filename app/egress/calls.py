"""One request and its answer. Up to `ready` nothing has left; from the first byte on, what brings no whole
head of an answer is Lost. The head decides: whatever ends the body, what was read of it is the answer."""

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import httpcore

from app.base.database import in_transaction
from app.base.settings import Settings, settings
from app.egress.addresses import Address
from app.egress.connections import BODY_LIMIT, IDLE_FOR, LIVES_FOR, READ_BESIDE, Connection, Idle, dial
from app.egress.policies import Policy
from app.egress.refusals import Lost, NotReached
from app.egress.targets import Target

Headers = Sequence[tuple[str, str]]
Ready = Callable[[], Awaitable[None]]
_BROKEN_OFF = (httpcore.RemoteProtocolError, httpcore.NetworkError, httpcore.TimeoutException)
_CUT = "The connection broke off before the whole answer was there."
#: Those that a caller may not give: they say how this request is framed, or what is kept of the last.
_OURS = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "cookie",
                   "expect", "te", "trailer", "upgrade", "proxy-authorization"})  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """What came back. `headers` by lower-case name, those that came twice joined by a comma; `body` as it was
    on the wire, never decompressed, at most 64 kB; `cut`: not all of it; there was more, it broke off, or it
    did not end in time."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    cut: bool


class Client:
    """Calls what its policy permits. Follows no redirect, heeds no proxy, keeps no cookie.

    A connection is kept while it is idle for less than `idle_for` seconds, and is not older than `lives_for`.
    `tls`: whom to trust; None: whom this machine and certifi trust.
    """

    def __init__(
        self, policy: Policy, *, tls: ssl.SSLContext | None = None,
        idle_for: float = IDLE_FOR, lives_for: float = LIVES_FOR,
    ) -> None:  # fmt: skip
        self.policy = policy
        self._idle = Idle(idle_for, lives_for)
        self._context = tls

    async def post(
        self, target: Target, headers: Headers, body: bytes, *, deadline: float,
        ready: Ready | None = None, allow: Policy | None = None,
    ) -> Answer:  # fmt: skip
        """POST `body`; all of it, looking up the name included, is over by `deadline` (the loop's clock).

        `ready` is awaited once a connection is there and before the first byte is written; what it raises
        ends the call unsent. It may be awaited again, when the connection went away meanwhile. `allow`: what
        is permitted beside the client's own policy.

        Raises NotAllowed, NotReached, Lost; RuntimeError inside an open transaction.
        """
        request = _request("POST", target, headers, body)
        return await self._call(target, request, deadline, allow, 2 if body else 1, BODY_LIMIT, ready)

    async def get(
        self, target: Target, headers: Headers = (), *, deadline: float,
        most: int = BODY_LIMIT, allow: Policy | None = None,
    ) -> Answer:  # fmt: skip
        """GET at most `most` octets of what is there; raises like `post`."""
        return await self._call(target, _request("GET", target, headers), deadline, allow, most=most)

    async def head(
        self, target: Target, headers: Headers = (), *, deadline: float, allow: Policy | None = None
    ) -> Answer:
        """HEAD; raises like `post`."""
        return await self._call(target, _request("HEAD", target, headers), deadline, allow)

    async def close(self) -> None:
        """Hang up on every connection that is kept."""
        await self._idle.close()

    async def _call(
        self, target: Target, request: httpcore.Request, deadline: float, allow: Policy | None,
        pieces: int = 1, most: int = BODY_LIMIT, ready: Ready | None = None,
    ) -> Answer:  # fmt: skip
        if in_transaction():
            raise RuntimeError("nobody talks to the outside while a transaction is open")
        policy = self.policy.beside(allow)
        policy.check(target)
        connection: Connection | None = None
        timer = asyncio.timeout_at(deadline)
        try:
            async with timer:
                connection = await self._ready(target, policy, deadline, ready)
                connection.wire.restart(pieces, READ_BESIDE + most, deadline)
                response = await _head(connection, request)
            return _answer(response, *await _body(response, most, deadline))
        except TimeoutError:
            if not timer.expired():
                raise
            raise _late(target, connection) from None
        finally:
            if connection is not None:
                connection.used = True
                await self._idle.put(connection)

    async def _ready(
        self, target: Target, policy: Policy, deadline: float, ready: Ready | None
    ) -> Connection:
        """A connection on which the request may be written at once."""
        while True:
            connection = await self._idle.take(target, policy)
            if connection is None:
                addresses = await vetted(target, policy, lifetime=deadline - time.monotonic())
                tls = await self._tls() if target.secure else None
                connection = await dial(target, addresses, tls, deadline, self._idle.idle_for)
            try:
                if ready is not None:
                    await ready()
            except BaseException:
                await connection.close()
                raise
            if not (connection.used and connection.gone):
                return connection
            await connection.close()

    async def _tls(self) -> ssl.SSLContext:
        if self._context is None:
            self._context = await asyncio.to_thread(_trusting)
        return self._context


async def vetted(target: Target, policy: Policy, *, lifetime: float = 5.0) -> list[Address]:
    """Every address of `target`, each of them permitted. Raises NotAllowed; NotReached when it has none, or
    the name servers do not answer in `lifetime` seconds."""
    policy.check(target)
    found = (
        [target.literal]
        if target.literal
        else await policy.resolver.addresses(target.host, lifetime=lifetime)
    )
    policy.check_addresses(target, found)
    return found


def _trusting() -> ssl.SSLContext:
    """Whom this machine and certifi trust; reading them takes a while."""
    made = httpcore.default_ssl_context()
    made.set_alpn_protocols(["http/1.1"])
    return made


async def _head(connection: Connection, request: httpcore.Request) -> httpcore.Response:
    """The head of the answer. Raises Lost."""
    try:
        return await connection.http.handle_async_request(request)
    except httpcore.RemoteProtocolError as error:
        raise Lost(_broken(str(error))) from None
    except (httpcore.NetworkError, httpcore.TimeoutException, OSError):
        raise Lost(_CUT) from None


async def _body(response: httpcore.Response, most: int, deadline: float) -> tuple[bytes, bool]:
    """What comes of the body until `deadline`, and whether that is not all: the status stands."""
    kept, whole = bytearray(), False
    try:
        async with asyncio.timeout_at(deadline):
            async for piece in response.aiter_stream():
                kept += piece
                if len(kept) > most:
                    break
            else:
                whole = True
    except (TimeoutError, Lost, OSError, *_BROKEN_OFF):
        pass
    finally:
        await response.aclose()
    return bytes(kept[:most]), not whole


def _answer(response: httpcore.Response, body: bytes, cut: bool) -> Answer:
    headers: dict[str, str] = {}
    for name, value in response.headers:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return Answer(response.status, headers, body, cut)


def _request(method: str, target: Target, headers: Headers, body: bytes = b"") -> httpcore.Request:
    given = [(name.encode("ascii"), value.encode("latin-1")) for name, value in headers]
    if wrong := [name for name, _ in headers if name.lower() in _OURS]:
        raise ValueError(f"the client itself says {', '.join(wrong)}")
    scheme, _, authority, path = target.url.split("/", 3)
    ours = [(b"Host", authority.encode()), (b"Accept-Encoding", b"identity")]
    if method == "POST":
        ours.append((b"Content-Length", str(len(body)).encode()))
    url = httpcore.URL(scheme=scheme[:-1], host=target.host, port=target.port, target=f"/{path}")
    return httpcore.Request(method, url, headers=[*ours, *given], content=body or None)


def _broken(told: str) -> str:
    if "disconnected without sending" in told:
        return "The server hung up before it had answered."
    if "closed connection without sending" in told:
        return _CUT
    if "too long" in told:
        return "The answer began with more than 64 kB of headers."
    return "The answer was not HTTP as it should be."


def _late(target: Target, connection: Connection | None) -> Exception:
    if connection is not None and connection.wire.written:
        return Lost(f"{target.host} did not answer in time.")
    return NotReached(f"{target.host} could not be reached in time.")


Kept = WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[Settings, Client]]
_clients: Kept = WeakKeyDictionary()
_lookers: Kept = WeakKeyDictionary()


def client() -> Client:
    """The process's client, under the settings' policy (one an event loop: connections belong to it)."""
    return _kept(_clients, Policy.of_settings)


def looker() -> Client:
    """The process's client for links and pictures in texts: whatever somebody wrote, nobody asked to call it.
    In testing mode it calls nothing but what was allowed."""
    return _kept(_lookers, Policy.of_looks)


def _kept(among: Kept, policy: Callable[[], Policy]) -> Client:
    loop, now = asyncio.get_running_loop(), settings()
    kept = among.get(loop)
    if kept is None or kept[0] is not now:
        kept = among[loop] = (now, Client(policy()))
    return kept[1]
