"""The publish page, and the email as readers will get it."""

from uuid import UUID

from litestar import Response, get

from app.accounts import Desk
from app.answers import fragment, framed_mail, page
from app.base.errors import GodwitError
from app.posts import draft_of, on_screen
from app.publishing.choosing import Choice, PublishPage, first_choice
from app.publishing.plans import plan
from app.publishing.preview import mail_preview, reader_of, words_for


@get("/posts/{post_id:uuid}/publish")
async def publish_page(desk: Desk, post_id: UUID, newsletter: str = "") -> Response[str]:
    """Everything to know before the press."""
    async with desk.transaction() as tx:
        now = await plan(tx, post_id, newsletter)
    shown = PublishPage(now, first_choice(now))
    return page("publishing/publish.html", shell=desk.shell("posts"), publishing=shown)


@get("/posts/{post_id:uuid}/publish/audience")
async def audience(
    desk: Desk, post_id: UUID, newsletter: str = "", subject: str = "", preheader: str = ""
) -> Response[str]:
    """Who gets it now, and the inbox line as typed: the count of a page that stays open is never old."""
    async with desk.transaction() as tx:
        now = await plan(tx, post_id, newsletter)
    shown = PublishPage(now, Choice("", "", now.newsletter.slug, subject[:500], preheader[:500]))
    return fragment("publishing/audience.oob.html", publishing=shown, base=desk.url(), zone=desk.account.zone)


@get("/posts/{post_id:uuid}/preview")
async def preview_page(desk: Desk, post_id: UUID, reader: str = "", view: str = "") -> Response[str]:
    """The draft as last saved, on the site or as a mail, as one of three readers gets it."""
    async with desk.transaction() as tx:
        draft = await draft_of(tx, post_id)
    who = reader_of(reader)
    try:
        html, wrong = on_screen(words_for(draft.writing, who)), ""
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
        shown = mail_preview(draft, desk.account, reader=reader_of(reader))
    except GodwitError as error:
        return fragment("publishing/_unshown.html", words=error.detail)
    return framed_mail(shown)


HANDLERS: tuple = (publish_page, audience, preview_page, mail_page)
