"""The press, and the preview of what is being typed."""

import asyncio
from uuid import UUID

from litestar import Request, Response, post

from app.accounts import Desk
from app.answers import Flash, Form, answer, form_of, fragment, page
from app.base.errors import Conflict, Invalid, TooLarge
from app.posts import Writing, draft_of, on_screen
from app.publishing.choosing import Choice, PublishPage, choice_of, press_of, when_of
from app.publishing.pages import planned
from app.publishing.preview import reader_of, words_for
from app.publishing.publications import publish
from app.publishing.scheduling import schedule
from app.publishing.telling import told, what_happened, where_it_shows
from app.publishing.test_mails import send_test
from app.publishing.wording import when as in_words

BODY = 32_000_000
MOST = 20_000_000


@post("/posts/{post_id:uuid}/preview", status_code=200, request_max_body_size=BODY)
async def preview(request: Request, post_id: UUID) -> Response[str]:
    """What is being typed, as the site will show it; nothing is saved."""
    form = await form_of(request)
    try:
        title, text = form.text("title", most=MOST), form.text("markdown", most=MOST)
        writing = Writing(
            title, text, form.text("excerpt", most=MOST), access=form.text("access") or "everyone"
        )
        html = on_screen(await asyncio.to_thread(words_for, writing, reader_of(form.text("reader"))))
    except (Invalid, TooLarge) as error:
        return fragment("publishing/_unshown.html", status=error.status, words=error.detail)
    return fragment("publishing/_preview.html", title=title.strip(), html=html)


@post("/posts/{post_id:uuid}/test", status_code=200)
async def test_mail(request: Request, desk: Desk, post_id: UUID) -> Response[str]:
    """Mail the draft as last saved to whoever asks, and to nobody else."""
    form = await form_of(request)
    async with desk.transaction() as tx:
        sent = await send_test(tx, desk, post_id, form.text("as"))
        draft = await draft_of(tx, post_id)
    words = f"Version {sent.version} is on its way to {sent.address}, marked [Test]."
    here = desk.url(f"posts/{post_id}")
    return answer(
        request,
        to=here,
        template="publishing/_test.html",
        flash=Flash("ok", words),
        draft=draft,
        test=sent,
        here=here,
        zone=desk.account.zone,
    )


@post("/posts/{post_id:uuid}/publish", status_code=200)
async def press(request: Request, desk: Desk, post_id: UUID) -> Response[str]:
    """Publish or schedule, and show what came of it; or the page again, with why nothing happened."""
    form = await form_of(request)
    choice = choice_of(form)
    try:
        to, words = await _pressed(desk, post_id, form, choice)
    except (Invalid, Conflict) as error:
        async with desk.transaction() as tx:
            now = await planned(tx, post_id, choice)
        shown = PublishPage(now, choice, told(error))
        return page(
            "publishing/publish.html", status=error.status, shell=desk.shell("posts"), publishing=shown
        )
    return answer(request, to=desk.url(to), flash=Flash("ok", words))


async def _pressed(desk: Desk, post_id: UUID, form: Form, choice: Choice) -> tuple[str, str]:
    """Do what was pressed: the page that shows what came of it, and a sentence."""
    pressed = press_of(desk, post_id, form, choice)
    when = when_of(desk, form, choice.wall) if choice.when == "later" else None
    async with desk.transaction() as tx:
        if when is None:
            made = await publish(tx, pressed)
            return where_it_shows(made), what_happened(made)
        made_id = await schedule(tx, pressed, when)
    words = f"It is scheduled. {in_words(when).passage} What you write from now on is not in it."
    return f"scheduled/{made_id}", " ".join(words.split())


HANDLERS: tuple = (preview, test_mail, press)
