"""A file of posts brought in: one post a commit, then all of them live by one release (B1, B2).

Reading, converting, rendering and pictures are done before each commit, with no transaction open.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from sqlalchemy.exc import DBAPIError

from app.answers import plural
from app.base.database import Tx, in_words
from app.base.errors import GodwitError
from app.base.telemetry import log
from app.egress import looker
from app.imports.posts.archive import Pictures
from app.imports.posts.converting import (
    Opened,
    brought,
    converted,
    opened,
    pictures_elsewhere,
    pictures_wanted,
    slug_wanted,
)
from app.imports.posts.fetching import AT_ONCE, Fetcher
from app.imports.posts.foreign import ForeignPost
from app.imports.posts.reading import open_posts
from app.imports.recording import Told, Undo, is_refusal, move_on
from app.imports.runs import Run, end_run, note_total
from app.jobs import Continue, Done, Outcome, Work
from app.plans import plan_named
from app.posts import (
    ReadyPost,
    StoredImage,
    Writing,
    bring_post,
    note_image,
    release_brought,
    write_image,
)

LARGEST_PICTURE = 64 * 1024**2
"""Octets that are unpacked to be looked at; `write_image` takes less, and says so."""
STEP = 10.0
"""Seconds after which a post with many pictures shows that it goes on."""
_LOSS = "insert into import_loss (account_id, import_id, thing, what) values (:account, :id, :thing, :what)"
_WHOLE = "the file"


@dataclass
class Prepared:
    """A post before it is written: ready, or why it cannot be; its pictures' files are there."""

    foreign: ForeignPost
    ready: ReadyPost | None = None
    problem: str | None = None
    losses: list[str] = field(default_factory=list)
    images: list[StoredImage] = field(default_factory=list)
    cut_short: bool = False
    """The process is to end, and not all of its pictures were fetched: it is made anew by the next."""


async def bring_posts(work: Work, run: Run) -> Outcome:
    """Goes on at the committed post. Raises Invalid where the file cannot be used."""
    file = await asyncio.to_thread(open_posts, run.content)
    if run.rows == 0:
        async with work.step() as tx:
            await note_total(tx, run, len(file.posts))
    fetcher = Fetcher(looker())
    for foreign in file.posts[run.rows :]:
        made = await prepared(work, run, foreign, file.pictures, fetcher)
        if made.cut_short:
            return Continue()
        async with work.step() as tx:
            run = await _bring(tx, run, made)
        if work.stopping:
            return Continue()
    async with work.step() as tx:
        if not run.dry_run:
            await _go_live(tx, run, file.posts)
        await _note(tx, run, _WHOLE, file.losses)
        await end_run(tx, run.id)
    return Done()


async def prepared(work: Work, run: Run, foreign: ForeignPost, held: Pictures, fetcher: Fetcher) -> Prepared:
    """Whatever a post is made of, it is this post's failure and no other's: the rest come in."""
    made = Prepared(foreign, problem=foreign.problem)
    if made.problem is not None:
        return made
    try:
        there = await asyncio.to_thread(opened, foreign)
        stored = await _store(work, run, made, there, held)
        stored |= await _fetch(
            work, run, made, await asyncio.to_thread(pictures_elsewhere, there, held), fetcher
        )
        ours = await asyncio.to_thread(converted, there, stored)
        made.ready, made.losses = ours.post, [*made.losses, *ours.losses]
    except GodwitError as error:
        made.problem = error.detail
    except Exception as error:  # a stranger's text went through three libraries: any of them may stumble
        log.warning("post_cannot_be_brought", import_id=str(run.id), post=foreign.origin, error=repr(error))
        made.problem = f"It cannot be read ({in_words(error)[:200]})."
    return made


async def _store(work: Work, run: Run, made: Prepared, there: Opened, held: Pictures) -> dict[str, str]:
    """Keep the pictures that the file holds: address there → address here; tells what cannot be kept."""
    stored: dict[str, str] = {}
    since = time.monotonic()
    wanted = await asyncio.to_thread(pictures_wanted, there, held)
    for address, path in wanted.items():
        if run.dry_run:
            stored[address] = f"/media/{path.rpartition('/')[2]}"
            continue
        try:
            data = await asyncio.to_thread(held.read, path, LARGEST_PICTURE)
            image = await write_image(data, path)
        except GodwitError as error:
            made.losses.append(f"The picture {path[-200:]} is left out: {error.detail}")
            continue
        made.images.append(image)
        stored[address] = image.media.url
        if time.monotonic() - since > STEP:
            since = time.monotonic()
            async with work.step():
                pass
    return stored


async def _fetch(
    work: Work, run: Run, made: Prepared, addresses: list[str], fetcher: Fetcher
) -> dict[str, str]:
    """Keep the pictures that the file does not hold; a few of them, then a sign that it goes on."""
    stored: dict[str, str] = {}
    if run.dry_run:
        if addresses:
            made.losses.append(f"{plural(len(addresses), 'picture')} would be fetched from elsewhere.")
        return {address: address for address in addresses}
    for at in range(0, len(addresses), AT_ONCE):
        if work.stopping:
            made.cut_short = True
            break
        for fetched in await fetcher.fetch(addresses[at : at + AT_ONCE]):
            wrong = fetched.wrong
            if fetched.data:
                try:
                    image = await write_image(fetched.data, urlsplit(fetched.address).path)
                except GodwitError as error:
                    wrong = error.detail
                else:
                    made.images.append(image)
                    stored[fetched.address] = image.media.url
            if wrong:
                made.losses.append(f"The picture {fetched.address[-200:]} could not be fetched: {wrong}")
        async with work.step():
            pass
    return stored


async def _bring(tx: Tx, run: Run, made: Prepared) -> Run:
    title, number = made.foreign.title, run.rows + 1
    outcome, reason = await _one(tx, run, made)
    if outcome == "created":
        await _note(tx, run, title or made.foreign.slug, made.losses)
    told = Told(number, number, outcome, reason and f"“{title[:100]}”: {reason}")
    return await move_on(tx, run, [told], {}, {})


async def _one(tx: Tx, run: Run, made: Prepared) -> tuple[str, str | None]:
    if made.ready is None:
        return "failed", made.problem
    new = False
    try:
        async with tx.savepoint():
            for image in made.images:
                await note_image(tx, image)
            new = await bring_post(tx, await _with_plan(tx, made.ready, made.foreign.plan))
            if run.dry_run:
                raise Undo
    except Undo:
        pass
    except GodwitError as error:
        return "failed", error.detail
    except DBAPIError as error:
        if not is_refusal(error):
            raise
        return "failed", f"The database refused it: {in_words(error)[:200]}"
    return ("created" if new else "unchanged"), None


async def _with_plan(tx: Tx, ready: ReadyPost, plan: str) -> ReadyPost:
    """For the readers of one plan, made under its name if there is none, as an import of readers does."""
    if not plan:
        return ready
    plan_id = await plan_named(tx, "", plan)
    return replace(ready, writing=replace(ready.writing, access="plan", plan_id=plan_id))


async def _go_live(tx: Tx, run: Run, posts: Sequence[ForeignPost]) -> None:
    """One release; who stands at another address than there is told."""
    light = [
        brought(one, Writing(one.title[:200] or "Untitled", slug=slug_wanted(one)))
        for one in posts
        if one.problem is None
    ]
    slugs = await release_brought(tx, light, run.made_by)
    for one in posts:
        here = slugs.get(one.origin)
        if here and one.slug and here != one.slug:
            words = f"It stands at /{here}; /{one.slug[:200]} could not be its address."
            await _note(tx, run, one.title, (words,))


async def _note(tx: Tx, run: Run, thing: str, losses: Sequence[str]) -> None:
    whose: dict[str, object] = {"account": tx.account_id, "id": run.id, "thing": thing[:300]}
    await tx.many(_LOSS, [whose | {"what": what[:1000]} for what in losses])
