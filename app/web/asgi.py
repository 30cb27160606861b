"""The application that uvicorn runs: looks at the host, then hands over to the studio or a site."""

import asyncio
import re
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, cast

from litestar import Litestar, Request
from litestar.datastructures import Headers, State
from litestar.exceptions.base_exceptions import LitestarDeprecationWarning
from litestar.openapi import OpenAPIConfig
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send
from structlog.contextvars import bind_contextvars

from app import ops
from app.answers import csrf, forget_flash, load_templates
from app.base import ids, rehearsal, statements, telemetry
from app.base.database import Database
from app.base.errors import Forbidden, GodwitError
from app.base.settings import Settings, settings
from app.base.telemetry import log
from app.jobs import bell
from app.site import editions_in, recall
from app.testing import Receivers
from app.web import failures, headers, hosts, routes

_HOSTS_REMEMBERED = 10_000
_PROBES = ("/healthz", "/readyz")
#: A request id that came along is kept when it is a plain word, so that a proxy's log and ours meet.
_PLAIN = re.compile(r"[A-Za-z0-9._-]{8,64}")


class Misdirected(GodwitError):
    """The host is not one of ours."""

    status = 421
    title = "Nobody lives at this address"


class Web:
    """One pool, two applications, and what every answer has in common."""

    def __init__(self, told: Settings) -> None:
        self.told = told
        self.database = Database.for_role("web")
        self.operators = Database(told.database.operator_url, "godwit_operator", 2)
        self.receivers = Receivers(self.database)
        state = State({"database": self.database, "operators": self.operators, "receivers": self.receivers})
        self.studio = _application(routes.studio_routes(), state, documented=True)
        self.site = _application(routes.site_routes(), state, documented=False)
        self._slugs: dict[bytes, str] = {}
        self._common = headers.common(secure=told.is_https)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI: the life of the process, or one request."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(cast(HTTPScope, scope), receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        following: asyncio.Task[None] | None = None
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                telemetry.configure(json=self.told.mode == "production")
                statements.load_all()
                if self.told.mode == "production":
                    load_templates()
                await self.receivers.resume()
                following = asyncio.create_task(rehearsal.follow_on(self.database))
                await send(cast(Any, {"type": "lifespan.startup.complete"}))
            elif message["type"] == "lifespan.shutdown":
                if following is not None:
                    following.cancel()
                    await asyncio.wait([following])
                await self.receivers.stop()
                await self.database.close()
                await self.operators.close()
                await bell.close()
                await send(cast(Any, {"type": "lifespan.shutdown.complete"}))
                return

    async def _answer(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        began = ops.now()
        if await self._recalled(scope, send, began):
            return
        head = scope["method"] == "HEAD"
        # A copy: the server decides by its own whether a body may be sent.
        scope = cast(HTTPScope, {**scope, "method": "GET" if head else scope["method"]})
        given = Headers.from_scope(scope)
        asked = given.get("x-request-id", "")
        request_id = asked if _PLAIN.fullmatch(asked) else ids.new().hex
        telemetry.cause.set(request_id)
        bind_contextvars(request=request_id)
        place = hosts.place_of(given.get("host", ""), self.told)
        # Prometheus asks by address, as a balancer does; a site's visitors find nothing there.
        probe = scope["path"] in _PROBES or (scope["path"] == "/metrics" and place.part == "nowhere")
        app = self.site if place.part == "site" and not probe else self.studio
        cast("dict[str, Any]", scope)["godwit.site"] = place.slug
        part = ops.part_of(scope["path"], site=place.part == "site")
        dressed = _Dressed(scope, send, request_id, self.told, head=head, private=place.part == "studio")
        dressed.counted = lambda status: ops.answered(part, status, began)
        refused: GodwitError | None = None
        if place.part == "nowhere" and not probe:
            refused = _misdirected(given.get("host", ""), self.told)
        elif place.part == "studio" and (
            words := csrf.refusal(scope["method"], scope["path"], given, self.told)
        ):
            refused = Forbidden(words)
        await self._run(_refusing(refused) if refused else app, scope, receive, dressed)

    async def _recalled(self, scope: HTTPScope, send: Send, began: float) -> bool:
        """Answer with what a site keeps rendered, if it does: most requests end here."""
        host, asked = b"", b""
        for name, value in scope["headers"]:
            if name == b"host":
                host = value
            elif name == b"x-request-id":
                asked = value
        slug = self._slug_of(host)
        if not slug:
            return False
        known = recall(
            editions_in(self.site.state),
            slug,
            scope["method"],
            scope["path"],
            scope["query_string"],
            scope["headers"],
        )
        if known is None:
            return False
        request_id = asked if _PLAIN.fullmatch(asked.decode("latin-1")) else ids.new().hex.encode()
        ops.answered("site", known.status, began)
        carried = [*known.headers, *self._common, (b"x-request-id", request_id)]
        await send(cast(Any, {"type": "http.response.start", "status": known.status, "headers": carried}))
        await send({"type": "http.response.body", "body": known.body, "more_body": False})
        return True

    def _slug_of(self, host: bytes) -> str:
        """The site that a Host header means, '' for none; remembered for the hosts asked for lately."""
        slug = self._slugs.get(host)
        if slug is None:
            if len(self._slugs) > _HOSTS_REMEMBERED:
                self._slugs.clear()
            slug = self._slugs[host] = hosts.place_of(host.decode("latin-1"), self.told).slug
        return slug

    async def _run(self, app: ASGIApp, scope: Scope, receive: Receive, send: "_Dressed") -> None:
        try:
            await app(scope, receive, send)
        except _Enough:
            return
        except Exception as error:  # whatever the handlers let through: nobody is left without an answer
            log.error("request_failed", path=scope["path"], exc_info=error)
            if not send.begun:
                await _refusing(error)(scope, receive, send)


class _Enough(Exception):
    """A HEAD was answered; the stream that a GET would get is not begun."""


class _Dressed:
    """Send, with the headers every answer carries; the body of an answer to HEAD stays here."""

    def __init__(
        self, scope: Scope, send: Send, request_id: str, told: Settings, *, head: bool, private: bool
    ) -> None:
        self.scope = scope
        self.head = head
        self.begun = False
        self.counted: Callable[[int], None] | None = None
        self._send = send
        self._request_id = request_id
        self._private = private
        self._secure = told.is_https

    async def __call__(self, message: Message) -> None:
        """ASGI's send."""
        if message["type"] == "http.response.start":
            self.begun = True
            if self.counted is not None:
                self.counted(message["status"])
            headers.dress(message, self._request_id, private=self._private, secure=self._secure)
            if gone := forget_flash(self.scope):
                message["headers"] = [*message["headers"], (b"set-cookie", gone.encode())]
            if self.head and not any(name.lower() == b"content-length" for name, _ in message["headers"]):
                await self._send(message)
                await self._send({"type": "http.response.body", "body": b"", "more_body": False})
                raise _Enough
        elif message["type"] == "http.response.body" and self.head:
            message["body"] = b""
        await self._send(message)


def _refusing(error: Exception) -> ASGIApp:
    """An application that tells everybody the same."""

    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        request: Request[Any, Any, Any] = Request(scope, receive, send)
        told = failures.meaning(request, error)
        response = failures.answer_error(request, told)
        await response.to_asgi_response(app=None, request=request)(scope, receive, send)

    return refuse


def _misdirected(host: str, told: Settings) -> Misdirected:
    return Misdirected(
        f"This Godwit does not answer for {host[:200] or 'a request without a host'}."
        f" The studio is at {told.base_url}, sites at {told.site_url('name')}."
    )


def _application(handlers: list[Any], state: State, *, documented: bool) -> Litestar:
    described = OpenAPIConfig(
        title="Godwit", version="1", path="/api/schema", render_plugins=[], use_handler_docstrings=True
    )
    with warnings.catch_warnings():
        # They announce how the next major version wants handlers declared; constraints keep us on this one.
        warnings.simplefilter("ignore", LitestarDeprecationWarning)
        return Litestar(
            handlers,
            state=state,
            exception_handlers={Exception: failures.tell},
            openapi_config=described if documented else None,
            request_max_body_size=routes.BODY,
            debug=False,
            logging_config=None,
        )


@cache
def _web() -> Web:
    return Web(settings())


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """What uvicorn is given; settings are read when it starts, not when it is imported."""
    await _web()(scope, receive, send)
