"""What is done at the desk: saving, pictures, pasting, earlier versions."""

import asyncio
from dataclasses import replace
from uuid import UUID

from litestar import Request, Response, post

from app.accounts import Desk
from app.answers import Flash, Form, answer, form_of, fragment, page
from app.base.database import Tx
from app.base.errors import Conflict, GodwitError, Invalid, NotFound, Problem, TooLarge
from app.posts.deleting import delete_post
from app.posts.drafts import Draft, StaleVersion, create_post, draft_of
from app.posts.editing import Editing, as_typed, described, previewed, version_of, with_picture, written_over
from app.posts.media import Media, note_image, write_image
from app.posts.pasting import MAX_HTML, pasted
from app.posts.saving import keep_version, restore_version, save_draft
from app.posts.surroundings import surroundings
from app.posts.writing import Writing

BODY = 32_000_000
"""Bytes a form may have: a text of ten million letters is answered with a sentence, not cut off."""


@post("/posts/{post_id:uuid}/autosave", status_code=200, request_max_body_size=BODY)
async def autosave(request: Request, desk: Desk, post_id: UUID) -> Response[str]:
    """Save what is being typed; answers the line that says so, or both texts when somebody else saved."""
    form = await form_of(request)
    version = version_of(form)
    try:
        async with desk.transaction() as tx:
            draft = await _save(tx, desk, post_id, version, form)
    except StaleVersion as stale:
        return fragment(
            "posts/conflict.oob.html",
            status=409,
            theirs=stale.theirs,
            version=version,
            here=desk.url(f"posts/{post_id}"),
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
    async with desk.transaction() as tx:
        around = await surroundings(tx, post_id, desk.creator.id, draft)
    return fragment(
        "posts/saved.oob.html",
        draft=draft,
        around=around,
        taken=draft.writing.title if not form.typed("title").strip() else "",
        reader=form.typed("reader"),
        base=desk.url(),
        zone=desk.account.zone,
    )


@post("/posts/{post_id:uuid}", status_code=200, request_max_body_size=BODY)
async def save(request: Request, desk: Desk, post_id: UUID) -> Response[str]:
    """The Save button: back to the editor, or the editor again with what was typed and what is wrong."""
    form = await form_of(request)
    try:
        async with desk.transaction() as tx:
            await _save(tx, desk, post_id, version_of(form), form)
    except (StaleVersion, Invalid, TooLarge) as error:
        return await _again(desk, post_id, form, error)
    to = "/publish" if form.text("then") == "publish" else "/preview" if form.text("then") == "see" else ""
    flash = None if to else Flash("ok", "Saved.")
    return answer(request, to=desk.url(f"posts/{post_id}{to}"), flash=flash)


@post("/posts/{post_id:uuid}/picture", status_code=200, request_max_body_size=BODY)
async def add_picture(request: Request, desk: Desk, post_id: UUID) -> Response[str]:
    """Without a script: save what is typed, with a picture after it, or as the cover."""
    form = await form_of(request)
    try:
        alt, media = described(form), await _uploaded(desk, form)
        async with desk.transaction() as tx:
            draft = await _save(tx, desk, post_id, version_of(form), form)
            wanted = _with(draft.writing, form.text("add"), alt, media)
            await save_draft(tx, post_id, draft.version, wanted, desk.creator.id)
    except (StaleVersion, Invalid, TooLarge) as error:
        return await _again(desk, post_id, form, error)
    where = "is the cover now" if form.text("add") == "cover" else "stands at the end of the text"
    return answer(request, to=desk.url(f"posts/{post_id}"), flash=Flash("ok", f"Saved. The picture {where}."))


@post("/posts/pictures", status_code=200, request_max_body_size=BODY)
async def upload(request: Request, desk: Desk) -> Response[dict[str, str]]:
    """A picture that was dropped or pasted: where it stands now, or in words why not."""
    try:
        media = await _uploaded(desk, await form_of(request))
    except (Invalid, TooLarge) as error:
        return Response({"error": error.detail}, status_code=error.status)
    return Response({"url": media.url})


@post("/posts/paste", status_code=200, request_max_body_size=BODY)
async def paste(request: Request, desk: Desk) -> Response[dict[str, str]]:
    """HTML from elsewhere as Markdown, for the cursor; `lost` says what could not come along."""
    try:
        html = (await form_of(request)).text("html", most=MAX_HTML)
        made = await asyncio.to_thread(pasted, html)
    except (Invalid, TooLarge) as error:
        return Response({"error": error.detail}, status_code=error.status)
    lost = ""
    if made.lost_pictures:
        lost = (
            f"{made.lost_pictures} of the pictures stayed on the computer they came from. Drop them in here."
        )
    return Response({"markdown": made.markdown, "lost": lost})


@post("/posts/{post_id:uuid}/keep", status_code=200, request_max_body_size=BODY)
async def keep(request: Request, desk: Desk, post_id: UUID) -> Response[str]:
    """Save what is typed, and keep it as an earlier version whatever comes."""
    form = await form_of(request)
    try:
        async with desk.transaction() as tx:
            draft = await _save(tx, desk, post_id, version_of(form), form)
            kept = await keep_version(tx, post_id, draft.version, desk.creator.id)
    except (Conflict, Invalid, TooLarge) as error:
        return await _again(desk, post_id, form, error)
    words = f"Saved, and kept as version {kept.number}. It can be had again at any time."
    return answer(request, to=desk.url(f"posts/{post_id}"), flash=Flash("ok", words))


@post("/posts/{post_id:uuid}/versions/{number:int}/restore", status_code=200)
async def restore(request: Request, desk: Desk, post_id: UUID, number: int) -> Response[str]:
    """Put an earlier version in the draft's place; what stands there is kept first."""
    form = await form_of(request)
    try:
        async with desk.transaction() as tx:
            await restore_version(tx, post_id, number, version_of(form), desk.creator.id)
    except StaleVersion as stale:
        words = f"{stale.detail.partition(', after')[0]}. Nothing was changed: look at the difference again."
        return answer(request, to=desk.url(f"posts/{post_id}/versions/{number}"), flash=Flash("warn", words))
    words = (
        f"Version {number} stands on the desk again. What stood there before is kept; nothing is published."
    )
    return answer(request, to=desk.url(f"posts/{post_id}"), flash=Flash("ok", words))


@post("/posts/{post_id:uuid}/delete", status_code=200)
async def delete(request: Request, desk: Desk, post_id: UUID) -> Response[str]:
    """Delete a post that never went out, as its page showed it; else say why it stays."""
    version = version_of(await form_of(request))
    try:
        async with desk.transaction() as tx:
            await delete_post(tx, post_id, version)
    except StaleVersion:
        words = "Somebody wrote in it since you looked. Nothing was deleted: look again."
        return answer(request, to=desk.url(f"posts/{post_id}/delete"), flash=Flash("warn", words))
    except Conflict as error:
        return answer(request, to=desk.url(f"posts/{post_id}"), flash=Flash("bad", error.detail))
    return answer(request, to=desk.url("posts"), flash=Flash("ok", "It is deleted."))


async def _save(tx: Tx, desk: Desk, post_id: UUID, version: int, form: Form) -> Draft:
    """Save what the form brings over what stands there."""
    if version == 0:
        return await create_post(tx, written_over(Writing(), form), desk.creator.id, post_id=post_id)
    there = await draft_of(tx, post_id, lock=True)
    return await save_draft(tx, post_id, version, written_over(there.writing, form), desk.creator.id)


async def _uploaded(desk: Desk, form: Form) -> Media:
    """The picture in the form, kept. Raises Invalid, TooLarge."""
    name, data = form.file("image") or ("", b"")
    if not name and not data:
        raise Invalid([Problem("image", "Choose a picture first.")])
    stored = await write_image(data, name)
    async with desk.transaction() as tx:
        return await note_image(tx, stored, desk.creator.id)


def _with(writing: Writing, place: str, alt: str, media: Media) -> Writing:
    if place == "cover":
        return replace(writing, cover=media.url, cover_alt=alt)
    return replace(writing, markdown=with_picture(writing.markdown, alt, media.url))


async def _again(desk: Desk, post_id: UUID, form: Form, error: GodwitError) -> Response[str]:
    """The editor with what was typed, and why it was not saved."""
    async with desk.transaction() as tx:
        try:
            draft = await draft_of(tx, post_id)
        except NotFound:
            draft = None
        around = await surroundings(tx, post_id, desk.creator.id, draft)
    typed = form.typed("version")
    version = int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 10 else 0
    theirs = error.theirs if isinstance(error, StaleVersion) else None
    # TooLarge without a field: of what a form holds, the text is it
    problems = () if theirs else error.problems or (Problem("markdown", error.detail),)
    writing = as_typed(draft.writing if draft else Writing(), form)
    shown = await asyncio.to_thread(previewed, writing)
    editing = Editing(post_id, version, writing, around, problems=problems, theirs=theirs, preview=shown)
    return page("posts/edit.html", status=error.status, shell=desk.shell("posts"), editing=editing)


HANDLERS: tuple = (autosave, save, add_picture, upload, paste, keep, restore, delete)
