"""Which act each route of the studio is; what a role may do stands in app/accounts/rights.py.

A route that is not in the table is not mounted: Godwit does not start with one that anybody could use.
"""

import re
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler

from app.accounts import Act, Desk, refusal
from app.base.errors import Forbidden

ROUTES: dict[Act, str] = {
    "look": """
GET /
GET /live/{broadcast_id:uuid}
GET /settings
GET /posts
GET /posts/{post_id:uuid}
GET /posts/{post_id:uuid}/others
GET /posts/{post_id:uuid}/frame
GET /posts/{post_id:uuid}/versions
GET /posts/{post_id:uuid}/versions/{number:int}
GET /posts/{post_id:uuid}/preview
GET /posts/{post_id:uuid}/preview/mail
GET /releases
GET /releases/{number:int}
GET /scheduled
GET /scheduled/{scheduled_id:uuid}
GET /broadcasts
GET /broadcasts/{broadcast_id:uuid}
GET /broadcasts/{broadcast_id:uuid}/live
GET /broadcasts/{broadcast_id:uuid}/sends
GET /broadcasts/{broadcast_id:uuid}/mail
GET /broadcasts/{broadcast_id:uuid}/mail/body
GET /broadcasts/{broadcast_id:uuid}/unsure
GET /broadcasts/{broadcast_id:uuid}/why
GET /why
GET /readers
GET /readers/segments
GET /readers/segments/{segment_id:uuid}
GET /readers/acts
GET /readers/acts/{act_id:uuid}
GET /readers/acts/{act_id:uuid}/progress
GET /readers/{reader_id:uuid}
GET /readers/{reader_id:uuid}/access
GET /readers/blocked
GET /readers/blocked/one
GET /readers/growth
GET /newsletters
GET /newsletters/{named:str}
GET /newsletters/{named:str}/welcome
GET /newsletters/{named:str}/welcome/body
GET /plans
GET /plans/{plan_id:uuid}
GET /messages
GET /messages/{message_id:int}
GET /messages/{message_id:int}/body
GET /messages/preview/{name:str}
GET /messages/preview/{name:str}/body
GET /switch
GET /endpoints
GET /endpoints/{endpoint_id:uuid}
GET /endpoints/{endpoint_id:uuid}/live
GET /endpoints/deliveries/{delivery_id:uuid}
GET /endpoints/deliveries/{delivery_id:uuid}/live
GET /releases/{number:int}/live
""",
    "write": """
GET /posts/new
POST /posts/{post_id:uuid}
POST /posts/{post_id:uuid}/autosave
POST /posts/{post_id:uuid}/picture
POST /posts/{post_id:uuid}/keep
POST /posts/{post_id:uuid}/preview
POST /posts/{post_id:uuid}/test
POST /posts/{post_id:uuid}/versions/{number:int}/restore
POST /posts/pictures
POST /posts/paste
GET /readers/segments/new
POST /readers/segments
""",
    "publish": """
GET /posts/{post_id:uuid}/publish
GET /posts/{post_id:uuid}/publish/audience
GET /posts/{post_id:uuid}/publish/links
GET /posts/{post_id:uuid}/publish/when
POST /posts/{post_id:uuid}/publish
GET /posts/{post_id:uuid}/delete
POST /posts/{post_id:uuid}/delete
GET /posts/{post_id:uuid}/unpublish
POST /posts/{post_id:uuid}/unpublish
POST /releases/{number:int}/restore
POST /scheduled/{scheduled_id:uuid}/time
POST /scheduled/{scheduled_id:uuid}/cancel
POST /scheduled/{scheduled_id:uuid}/publish
""",
    "mail": """
GET /broadcasts/{broadcast_id:uuid}/cancel
POST /broadcasts/{broadcast_id:uuid}/pause
DELETE /broadcasts/{broadcast_id:uuid}/pause
POST /broadcasts/{broadcast_id:uuid}/resume
POST /broadcasts/{broadcast_id:uuid}/probe
POST /broadcasts/{broadcast_id:uuid}/cancel
POST /broadcasts/{broadcast_id:uuid}/retry-failed
POST /broadcasts/{broadcast_id:uuid}/send-to-missing
POST /broadcasts/{broadcast_id:uuid}/resolve
POST /messages/probe
POST /messages/{message_id:int}/retry
POST /switch/stop
POST /switch/start
POST /switch/let-go
""",
    "readers": """
GET /readers/new
POST /readers
POST /readers/{reader_id:uuid}
POST /readers/{reader_id:uuid}/unsubscribe
POST /readers/blocked
POST /readers/segments/{segment_id:uuid}
POST /readers/segments/{segment_id:uuid}/delete
GET /readers/acts/new
POST /readers/acts
POST /readers/acts/{act_id:uuid}/undo
""",
    "erase": """
POST /readers/{reader_id:uuid}/erase
""",
    "bring": """
GET /imports
GET /imports/{import_id:uuid}
GET /imports/{import_id:uuid}/progress
GET /imports/{import_id:uuid}/rows.csv
GET /imports/{import_id:uuid}/losses.csv
GET /imports/{import_id:uuid}/undo
POST /imports
POST /imports/posts
POST /imports/{import_id:uuid}/columns
POST /imports/{import_id:uuid}/for-real
POST /imports/{import_id:uuid}/give-up
POST /imports/{import_id:uuid}/undo
""",
    "take_along": """
GET /readers/export.csv
GET /export
GET /export/everything.zip
""",
    "plans": """
POST /plans
POST /plans/{plan_id:uuid}
POST /plans/{plan_id:uuid}/archive
POST /plans/{plan_id:uuid}/offer
POST /plans/{plan_id:uuid}/move
POST /readers/{reader_id:uuid}/access
POST /readers/{reader_id:uuid}/access/{entitlement_id:uuid}/end
""",
    "lift": """
POST /readers/blocked/lift
""",
    "redeliver": """
POST /endpoints/{endpoint_id:uuid}/redeliver
GET /endpoints/{endpoint_id:uuid}/redeliver/range
POST /endpoints/{endpoint_id:uuid}/redeliver/range
POST /endpoints/deliveries/{delivery_id:uuid}/redeliver
POST /endpoints/{endpoint_id:uuid}/pause
POST /endpoints/{endpoint_id:uuid}/resume
POST /endpoints/{endpoint_id:uuid}/test
""",
    "webhooks": """
GET /endpoints/new
POST /endpoints
GET /endpoints/{endpoint_id:uuid}/edit
POST /endpoints/{endpoint_id:uuid}
POST /endpoints/{endpoint_id:uuid}/rotate
GET /endpoints/{endpoint_id:uuid}/delete
POST /endpoints/{endpoint_id:uuid}/delete
""",
    "settings": """
GET /newsletters/new
POST /newsletters
POST /newsletters/{named:str}
POST /settings
""",
    "keys": """
GET /keys
POST /keys
GET /keys/{key_id:uuid}
POST /keys/{key_id:uuid}/revoke
""",
    "team": """
GET /team
POST /team/invitations
POST /team/invitations/{invitation_id:uuid}/again
POST /team/invitations/{invitation_id:uuid}/withdraw
GET /team/{member_id:uuid}
POST /team/{member_id:uuid}/role
POST /team/{member_id:uuid}/remove
""",
}

_KIND = re.compile(r":\w+\}")
Guard = Callable[[ASGIConnection, BaseRouteHandler], Coroutine[Any, Any, None]]


def acts_of_routes(handlers: Iterable[Any]) -> dict[tuple[str, str], Act]:
    """(method, path) → act, of every route. Raises ValueError naming those that have none, or two."""
    listed: list[tuple[str, Act]] = [
        (line, act) for act, lines in ROUTES.items() for line in lines.strip().split("\n")
    ]
    times, table = Counter(line for line, _ in listed), dict(listed)
    twice = {line for line in table if times[line] > 1}
    routes = {
        (method, path)
        for handler in handlers
        for method in handler.http_methods - {"OPTIONS", "HEAD"}
        for path in handler.paths
    }
    missing = {f"{method} {path}" for method, path in routes} - set(table)
    if missing or twice:
        wrong = ", ".join(sorted(missing | twice))
        raise ValueError(f"Say once in app/web/rights.py which act each of these routes is: {wrong}")
    return {(method, path): table[f"{method} {path}"] for method, path in routes}


def guard_rights(handlers: Iterable[Any], prefix: str, desk_of: Callable[..., Any]) -> Guard:
    """A guard, behind `guard_desk`, that lets a creator do what their role may. Raises Forbidden.

    `desk_of` gives the desk that the other left on the request.
    """
    # As the router names them in a request: without the kinds of their parts.
    routes = acts_of_routes(handlers)
    acts: dict[tuple[str, str], Act] = {
        (how, _KIND.sub("}", path)): act for (how, path), act in routes.items()
    }

    async def guard(connection: ASGIConnection, _: BaseRouteHandler) -> None:
        scope: Any = connection.scope
        method = "GET" if scope["method"] in ("HEAD", "OPTIONS") else scope["method"]
        act = acts[method, scope["path_template"].removeprefix(prefix) or "/"]
        desk: Desk = await desk_of(connection)
        if not desk.may(act):
            raise Forbidden(refusal(act))

    return guard
