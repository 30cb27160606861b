"""Who may enter, in one table: each slice's handlers behind a guard.

| where                  | who                                       | guard        |
|------------------------|-------------------------------------------|--------------|
| /, /sign-in, …         | anyone                                    | –            |
| /studio/{slug}/…       | a creator of that account, by their role  | guard_desk, guard_rights |
| /api/v1/…              | a program with a key of the account       | guard_api    |
| /console/…             | a creator who is an operator              | guard_operator|
| /mailbox               | this machine, or an operator              | guard_machine|
| /metrics               | this machine, an operator, or its token   | guard_metrics|
| /testing               | this machine, or the testing token        | guard_testing|
| a site's host          | anyone, where an account lives            | guard_site   |
| /healthz, /media, …    | anyone, on any host                       | –            |
"""

from typing import Any

from litestar import Router
from litestar.di import Provide
from litestar.types import ControllerRouterHandler

from app import ops
from app.accounts import forms as accounts_forms
from app.accounts import pages as accounts_pages
from app.accounts.guards import (
    desk_of,
    guard_api,
    guard_desk,
    guard_machine,
    guard_metrics,
    guard_operator,
    known_caller,
    operator_of,
    visit_of,
)
from app.accounts.idempotency import KeptAnswers
from app.answers import refuse_unknown_options
from app.audiences import api as audiences_api
from app.audiences import forms as audiences_forms
from app.audiences import pages as audiences_pages
from app.base.settings import settings
from app.broadcasts import api as broadcasts_api
from app.broadcasts import forms as broadcasts_forms
from app.broadcasts import pages as broadcasts_pages
from app.broadcasts import welcome_pages, why_pages
from app.imports import api as imports_api
from app.imports import forms as imports_forms
from app.imports import pages as imports_pages
from app.mail import pages as mail_pages
from app.messages import api as messages_api
from app.messages import forms as messages_forms
from app.messages import pages as messages_pages
from app.plans import api as plans_api
from app.plans import forms as plans_forms
from app.plans import pages as plans_pages
from app.posts import api as posts_api
from app.posts import forms as posts_forms
from app.posts import pages as posts_pages
from app.posts import release_api as posts_release_api
from app.posts import release_forms as posts_release_forms
from app.posts import release_pages as posts_release_pages
from app.publishing import api as publishing_api
from app.publishing import forms as publishing_forms
from app.publishing import home as publishing_home
from app.publishing import pages as publishing_pages
from app.publishing import schedule_api, schedule_forms, schedule_pages
from app.readers import api as readers_api
from app.readers import (
    block_forms,
    block_pages,
    growth_pages,
    newsletter_forms,
    newsletter_pages,
    own_forms,
    sign_in_forms,
)
from app.readers import forms as readers_forms
from app.readers import pages as readers_pages
from app.readers import site_forms as readers_site_forms
from app.readers import site_pages as readers_site_pages
from app.site import api as site_api
from app.site import edition_of, guard_site
from app.site import pages as site_pages
from app.testing import api as testing_api
from app.web import docs, files
from app.web.rights import guard_rights
from app.webhooks import api as webhooks_api
from app.webhooks import forms as webhooks_forms
from app.webhooks import pages as webhooks_pages
from app.webhooks import redelivery_forms as webhooks_redelivery_forms

Handlers = tuple[Any, ...]

ANYONE: Handlers = (
    *accounts_pages.HANDLERS,
    *accounts_forms.HANDLERS,
)
STUDIO: Handlers = (
    *publishing_home.HANDLERS,
    *accounts_pages.STUDIO_HANDLERS,
    *accounts_forms.STUDIO_HANDLERS,
    *posts_pages.HANDLERS,
    *posts_forms.HANDLERS,
    *posts_release_pages.HANDLERS,
    *posts_release_forms.HANDLERS,
    *publishing_pages.HANDLERS,
    *publishing_forms.HANDLERS,
    *schedule_pages.HANDLERS,
    *schedule_forms.HANDLERS,
    *broadcasts_pages.HANDLERS,
    *broadcasts_forms.HANDLERS,
    *why_pages.HANDLERS,
    *audiences_pages.HANDLERS,
    *audiences_forms.HANDLERS,
    *readers_pages.HANDLERS,
    *block_pages.HANDLERS,
    *block_forms.HANDLERS,
    *growth_pages.HANDLERS,
    *readers_forms.HANDLERS,
    *newsletter_pages.HANDLERS,
    *newsletter_forms.HANDLERS,
    *welcome_pages.HANDLERS,
    *plans_pages.HANDLERS,
    *plans_forms.HANDLERS,
    *imports_pages.HANDLERS,
    *imports_forms.HANDLERS,
    *messages_pages.HANDLERS,
    *messages_forms.HANDLERS,
    *webhooks_pages.HANDLERS,
    *webhooks_forms.HANDLERS,
    *webhooks_redelivery_forms.HANDLERS,
    *ops.STUDIO,
)
API: Handlers = (
    docs.api_root,
    *readers_api.HANDLERS,
    *imports_api.HANDLERS,
    *posts_api.HANDLERS,
    *posts_release_api.HANDLERS,
    *site_api.HANDLERS,
    *publishing_api.HANDLERS,
    *schedule_api.HANDLERS,
    *audiences_api.HANDLERS,
    *plans_api.HANDLERS,
    *broadcasts_api.HANDLERS,
    *messages_api.HANDLERS,
    *webhooks_api.HANDLERS,
    *ops.API,
)
SITE: Handlers = (
    *readers_pages.SITE_HANDLERS,
    *readers_forms.SITE_HANDLERS,
    *readers_site_pages.HANDLERS,
    *readers_site_forms.HANDLERS,
    *sign_in_forms.HANDLERS,
    *own_forms.HANDLERS,
    *site_pages.HANDLERS,
)
#: Only while the provider is mailbox.
MACHINE: Handlers = (*mail_pages.HANDLERS,)
EVERYWHERE: Handlers = (files.static, files.favicon, *posts_pages.MEDIA_HANDLERS, *ops.HANDLERS)

#: Octets that a body may have unless its handler says otherwise (`request_max_body_size=`).
BODY = 4_000_000


def studio_routes() -> list[ControllerRouterHandler]:
    """What answers on the studio's host."""
    return [
        *EVERYWHERE,
        Router("/", route_handlers=ANYONE, include_in_schema=False),
        Router(
            "/studio/{slug:str}",
            route_handlers=STUDIO,
            guards=[guard_desk, guard_rights(STUDIO, "/studio/{slug}", desk_of)],
            dependencies={"desk": Provide(desk_of)},
            include_in_schema=False,
        ),
        Router(
            "/api/v1",
            route_handlers=API,
            guards=[guard_api, refuse_unknown_options],
            dependencies={"caller": Provide(known_caller)},
            middleware=[KeptAnswers],
        ),
        Router(
            "/console",
            route_handlers=ops.CONSOLE,
            guards=[guard_operator],
            dependencies={"operator": Provide(operator_of)},
            include_in_schema=False,
        ),
        *([_machine()] if settings().mail.provider == "mailbox" else []),
        Router("/", route_handlers=ops.METRICS, guards=[guard_metrics], include_in_schema=False),
        Router("/api/docs", route_handlers=docs.HANDLERS, include_in_schema=False),
        *testing_api.testing_routes(),
    ]


def _machine() -> Router:
    return Router("/", route_handlers=MACHINE, guards=[guard_machine], include_in_schema=False)


def site_routes() -> list[ControllerRouterHandler]:
    """What answers on a site's host."""
    return [
        *EVERYWHERE,
        Router(
            "/",
            route_handlers=SITE,
            guards=[guard_site],
            dependencies={"visit": Provide(visit_of), "edition": Provide(edition_of)},
            include_in_schema=False,
        ),
    ]
