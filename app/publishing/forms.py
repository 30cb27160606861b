"""The press, and the preview of what is being typed."""

from uuid import UUID

from litestar import Request, Response, post

from app.accounts import Desk
from app.answers import Flash, answer, form_of, fragment, page
from app.base.errors import Conflict, Invalid, Problem, TooLarge
from app.posts import Writing, draft_of, on_screen
from app.publishing.choosing import PublishPage, choice_of, press_of
from app.publishing.plans import plan
from app.publishing.preview import reader_of, words_for
from app.publishing.publications import Publication, publish
from app.publishing.test_mails import send_test

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
        html = on_screen(words_for(writing, reader_of(form.text("reader"))))
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
    """Publish, and show what came of it; or the page again, with why nothing happened."""
    form = await form_of(request)
    choice = choice_of(form)
    pressed = press_of(desk, post_id, form, choice)
    try:
        async with desk.transaction() as tx:
            made = await publish(tx, pressed)
    except (Invalid, Conflict) as error:
        async with desk.transaction() as tx:
            now = await plan(tx, post_id, choice.newsletter)
        shown = PublishPage(now, choice, told(error))
        return page(
            "publishing/publish.html", status=error.status, shell=desk.shell("posts"), publishing=shown
        )
    return answer(request, to=desk.url(where_it_shows(made)), flash=Flash("ok", what_happened(made)))


def told(error: Invalid | Conflict) -> tuple[Problem, ...]:
    """Why nothing happened, as sentences."""
    return error.problems or (Problem("", error.detail),)


def where_it_shows(made: Publication) -> str:
    """The page that shows what a press did: the email's, which moves, before the published version's."""
    return f"broadcasts/{made.broadcast_id}" if made.broadcast_id else f"releases/{made.release}"


def what_happened(made: Publication) -> str:
    """What a press did, in one sentence."""
    live = f"Published version {made.release} is live" if made.release else ""
    if made.broadcast_id is None:
        return live + "."
    return f"{live}, and the email is on its way." if live else "The email is on its way."


HANDLERS: tuple = (preview, test_mail, press)
