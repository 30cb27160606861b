"""The publish page, and the email as readers will get it."""

import asyncio
from collections.abc import Callable
from uuid import UUID

from litestar import Request, Response, get

from app.accounts import Desk
from app.answers import fragment, framed_mail, page
from app.base.database import Tx
from app.base.errors import GodwitError
from app.base.fields import scrub
from app.egress import looker
from app.limits import refuse_over
from app.posts import draft_of, on_screen
from app.publishing.choosing import Choice, PublishPage, chosen, first_choice, new_key
from app.publishing.elsewhere import Asked, ask_elsewhere
from app.publishing.links import leads_of
from app.publishing.plans import Plan, plan
from app.publishing.preview import mail_preview, reader_of, words_for

FRESH = {"Cache-Control": "no-store"}
TRIES = 120
"""Times an hour that an account's links are asked for."""


@get("/posts/{post_id:uuid}/publish")
async def publish_page(request: Request, desk: Desk, post_id: UUID) -> Response[str]:
    """Everything to know before the press; what stands in the address is chosen already."""
    choice = chosen(_query(request), new_key())
    async with desk.transaction() as tx:
        now = await planned(tx, post_id, choice)
    shown = PublishPage(now, choice if request.query_params else first_choice(now))
    return page("publishing/publish.html", headers=FRESH, shell=desk.shell("posts"), publishing=shown)


@get("/posts/{post_id:uuid}/publish/audience")
async def audience(request: Request, desk: Desk, post_id: UUID) -> Response[str]:
    """Who gets it now, and the inbox line as typed: the count of a page that stays open is never old."""
    choice = chosen(_query(request), "")
    async with desk.transaction() as tx:
        now = await planned(tx, post_id, choice)
    shown = PublishPage(now, choice)
    return fragment(
        "publishing/audience.oob.html",
        headers=FRESH,
        publishing=shown,
        base=desk.url(),
        zone=desk.account.zone,
    )


@get("/posts/{post_id:uuid}/publish/links")
async def links_page(desk: Desk, post_id: UUID) -> Response[str]:
    """The links to other sites, asked for now: the publish page shows it once it is there."""
    async with desk.transaction() as tx:
        draft = await draft_of(tx, post_id)
        await refuse_over(tx, f"links:{desk.account.id}", TRIES, 3600, "hour")
    try:
        leads = await asyncio.to_thread(leads_of, draft, desk.account)
    except GodwitError:  # it cannot be rendered: the check list says why
        leads = []
    asked: Asked = await ask_elsewhere(looker(), leads)
    return page("publishing/links.html", headers=FRESH, shell=desk.shell("posts"), draft=draft, asked=asked)


async def planned(tx: Tx, post_id: UUID, choice: Choice) -> Plan:
    """The plan for what was chosen."""
    return await plan(
        tx,
        post_id,
        choice.newsletter,
        choice.segment,
        subject=choice.subject,
        preheader=choice.preheader,
    )


def _query(request: Request) -> Callable[..., str]:
    def text(name: str, most: int = 500) -> str:
        return scrub(request.query_params.get(name, ""))[:most]

    return text


@get("/posts/{post_id:uuid}/preview")
async def preview_page(desk: Desk, post_id: UUID, reader: str = "", view: str = "") -> Response[str]:
    """The draft as last saved, on the site or as a mail, as one of three readers gets it."""
    async with desk.transaction() as tx:
        draft = await draft_of(tx, post_id)
    who = reader_of(reader)
    try:
        html, wrong = on_screen(await asyncio.to_thread(words_for, draft.writing, who)), ""
    except GodwitError as error:
        html, wrong = on_screen(""), error.detail
    return page(
        "publishing/preview.html",
        shell=desk.shell("posts"),
        draft=draft,
        html=html,
        wrong=wrong,
        reader=who,
        view=view if view in ("mail", "phone") else "site",
    )


@get("/posts/{post_id:uuid}/preview/mail")
async def mail_page(desk: Desk, post_id: UUID, reader: str = "") -> Response[str]:
    """The email, from the draft as last saved, by the renderer that sends."""
    async with desk.transaction() as tx:
        draft = await draft_of(tx, post_id)
    try:
        shown = await asyncio.to_thread(mail_preview, draft, desk.account, reader=reader_of(reader))
    except GodwitError as error:
        return fragment("publishing/_unshown.html", words=error.detail)
    return framed_mail(shown)


HANDLERS: tuple = (publish_page, audience, links_page, preview_page, mail_page)
