"""A file of posts brought in: some posts a commit, then all of them live by one release (B1, B2)."""

import asyncio
from collections.abc import Mapping, Sequence
from itertools import islice

from app.base.database import Tx
from app.base.errors import GodwitError
from app.imports.posts.converting import Converted, converted, pictures_wanted
from app.imports.posts.foreign import ForeignFile, ForeignPost
from app.imports.posts.reading import open_posts
from app.imports.runs import Run, Told, Undo, end_run, move_on, note_total
from app.jobs import Continue, Done, Outcome, Work
from app.posts import BroughtPost, Writing, bring_post, release_brought, store_image

CHUNK = 5
"""Posts a transaction: each may bring pictures, which take a second."""
_LOSS = "insert into import_loss (account_id, import_id, thing, what) values (:account, :id, :thing, :what)"
_WHOLE = "the file"


async def bring_posts(work: Work, run: Run) -> Outcome:
    """Goes on at the committed post. Raises Invalid where the file cannot be used."""
    file = await asyncio.to_thread(open_posts, run.content)
    if run.rows == 0:
        async with work.step() as tx:
            await note_total(tx, run, len(file.posts))
    rest = iter(file.posts[run.rows :])
    while chunk := list(islice(rest, CHUNK)):
        async with work.step() as tx:
            run = await _bring(tx, run, file, chunk)
        if work.stopping:
            return Continue()
    async with work.step() as tx:
        if not run.dry_run:
            await _go_live(tx, run, file.posts)
        await _note(tx, run, _WHOLE, file.losses)
        await end_run(tx, run.id)
    return Done()


async def _bring(tx: Tx, run: Run, file: ForeignFile, chunk: Sequence[ForeignPost]) -> Run:
    told: list[Told] = []
    for number, foreign in enumerate(chunk, run.rows + 1):
        stored, losses = await _store(tx, run, foreign, file.pictures)
        ours = await asyncio.to_thread(converted, foreign, stored)
        outcome, reason = await _one(tx, run, ours)
        told.append(Told(number, number, outcome, reason and f"“{foreign.title[:100]}”: {reason}"))
        if outcome == "created":
            await _note(tx, run, foreign.title or foreign.slug, (*losses, *ours.losses))
    return await move_on(tx, run, told, {})


async def _store(
    tx: Tx, run: Run, foreign: ForeignPost, held: Mapping[str, bytes]
) -> tuple[dict[str, str], list[str]]:
    """The pictures that the file holds, kept here: address there → address here; and those that cannot be."""
    stored: dict[str, str] = {}
    losses: list[str] = []
    wanted = await asyncio.to_thread(pictures_wanted, foreign, held)
    for address, path in wanted.items():
        if run.dry_run:
            stored[address] = f"/media/{path.rpartition('/')[2]}"
            continue
        try:
            stored[address] = (await store_image(tx, held[path], path)).url
        except GodwitError as error:
            losses.append(f"The picture {path[:200]} is left out: {error.detail}")
    return stored, losses


async def _one(tx: Tx, run: Run, ours: Converted) -> tuple[str, str | None]:
    if ours.problem is not None:
        return "failed", ours.problem
    made = False
    try:
        async with tx.savepoint():
            made = await bring_post(tx, ours.post)
            if run.dry_run:
                raise Undo
    except Undo:
        pass
    except GodwitError as error:
        return "failed", error.detail
    return ("created" if made else "unchanged"), None


async def _go_live(tx: Tx, run: Run, posts: Sequence[ForeignPost]) -> None:
    """One release; who stands at another address than there is told."""
    light = [
        BroughtPost(
            one.origin,
            Writing(one.title[:200] or "Untitled", slug=one.slug[:180]),
            one.created_at,
            one.updated_at,
            one.published_at,
            tuple(path.rstrip("/") or "/" for path in one.paths),
        )
        for one in posts
        if one.problem is None
    ]
    slugs = await release_brought(tx, light, run.made_by)
    for one in posts:
        here = slugs.get(one.origin)
        if here and one.slug and here != one.slug:
            await _note(tx, run, one.title, (f"It stands at /{here}; /{one.slug} could not be its address.",))


async def _note(tx: Tx, run: Run, thing: str, losses: Sequence[str]) -> None:
    for what in losses:
        await tx.execute(_LOSS, account=tx.account_id, id=run.id, thing=thing[:300], what=what[:1000])
