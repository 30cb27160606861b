"""An older published version brought back, and a post taken off the site: each a new published version."""

from uuid import UUID

from litestar import Request, Response, post

from app.accounts import Desk
from app.answers import Flash, answer, form_of
from app.base.errors import Conflict
from app.posts.releases import restore_release, unpublish


@post("/releases/{number:int}/restore", status_code=200)
async def restore(request: Request, desk: Desk, number: int) -> Response[str]:
    """The site as it was, under a new number; a second press finds nothing to change and says so.

    It does what the page showed, or nothing: the form names the version that was the newest then.
    """
    form = await form_of(request)
    shown = form.text("newest")
    opening = None if form.checked("opens") else ()
    try:
        async with desk.transaction() as tx:
            made = await restore_release(
                tx,
                number,
                desk.creator.id,
                desk.creator.name,
                shown=int(shown) if shown.isdecimal() else 0,
                opening=opening,
            )
    except Conflict as error:
        return answer(request, to=desk.url(f"releases/{number}"), flash=Flash("bad", error.detail))
    flash = Flash("ok", f"The site is as it was at version {number}. This is version {made.number}.")
    return answer(request, to=desk.url(f"releases/{made.number}"), flash=flash)


@post("/posts/{post_id:uuid}/unpublish", status_code=200)
async def leave(request: Request, desk: Desk, post_id: UUID) -> Response[str]:
    """The post leaves the site; what was mailed stays mailed, and the draft stays."""
    try:
        async with desk.transaction() as tx:
            made = await unpublish(tx, post_id, desk.creator.id, desk.creator.name)
    except Conflict as error:
        return answer(request, to=desk.url(f"posts/{post_id}"), flash=Flash("bad", error.detail))
    words = f"It is off the site, by published version {made.number}. The draft is still here."
    return answer(request, to=desk.url(f"posts/{post_id}"), flash=Flash("ok", words))


HANDLERS: tuple = (restore, leave)
