"""Saving posts from the studio."""

from uuid import UUID

from litestar import Request, Response, post

from app.accounts import Desk
from app.answers import Flash, answer, form_of, fragment, page
from app.base.errors import Invalid, Problem, TooLarge
from app.posts.drafts import Draft, StaleVersion, create_post
from app.posts.editing import Editing, as_typed, version_of, writing_of
from app.posts.saving import save_draft
from app.posts.writing import Writing

BODY = 32_000_000
"""Bytes a form may have: a text of ten million letters is answered with a sentence, not cut off."""


@post("/posts/{post_id:uuid}/autosave", status_code=200, request_max_body_size=BODY)
async def autosave(request: Request, desk: Desk, post_id: UUID) -> Response[str]:
    """Save what is being typed; answers the line that says so, or both texts when somebody else saved."""
    form = await form_of(request)
    version = version_of(form)
    try:
        writing = writing_of(form)
        draft = await _save(desk, post_id, version, writing)
    except StaleVersion as stale:
        return fragment(
            "posts/conflict.oob.html",
            status=409,
            theirs=stale.theirs,
            version=version,
            zone=desk.account.zone,
        )
    except (Invalid, TooLarge) as error:
        return fragment(
            "posts/_saved.html",
            status=error.status,
            state="invalid",
            version=version,
            draft=None,
            words=error.detail,
        )
    taken = draft.writing.title if not writing.title.strip() else ""
    return fragment("posts/saved.oob.html", draft=draft, taken=taken, base=desk.url(), zone=desk.account.zone)


@post("/posts/{post_id:uuid}", status_code=200, request_max_body_size=BODY)
async def save(request: Request, desk: Desk, post_id: UUID) -> Response[str]:
    """The Save button: back to the editor, or the editor again with what was typed and what is wrong."""
    form = await form_of(request)
    version = version_of(form)
    try:
        await _save(desk, post_id, version, writing_of(form))
    except StaleVersion as stale:
        editing = Editing(post_id, version, as_typed(form), theirs=stale.theirs)
        return page("posts/edit.html", status=409, shell=desk.shell("posts"), editing=editing)
    except (Invalid, TooLarge) as error:
        problems = error.problems or (Problem("markdown", error.detail),)  # TooLarge: the text is
        editing = Editing(post_id, version, as_typed(form), problems=problems)
        return page("posts/edit.html", status=error.status, shell=desk.shell("posts"), editing=editing)
    if form.text("then") == "publish":
        return answer(request, to=desk.url(f"posts/{post_id}/publish"))
    return answer(request, to=desk.url(f"posts/{post_id}"), flash=Flash("ok", "Saved."))


async def _save(desk: Desk, post_id: UUID, version: int, writing: Writing) -> Draft:
    async with desk.transaction() as tx:
        if version == 0:
            return await create_post(tx, writing, desk.creator.id, post_id=post_id)
        return await save_draft(tx, post_id, version, writing, desk.creator.id)


HANDLERS: tuple = (autosave, save)
