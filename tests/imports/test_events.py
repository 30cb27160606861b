"""What webhooks are told of an import: that it is over, and nothing of its rows (W1, engine 3)."""

from typing import Any

import pytest

from app.base.database import Database
from app.imports.runs import end_run
from app.imports.undoing import begin_undo
from tests.announced import listen, rolled_back, told
from tests.imports.foreign_files import ghost, ghost_post
from tests.imports.makers import as_if_its_worker_died, begun, csv, imported, run_once, settled
from tests.posts.clients import served
from tests.posts.makers import Desk, make_desk
from tests.readers.makers import Place

ROWS = csv("anna@example.org,Anna,,true,,", "ben@example.org,Ben,,false,,", "nobody,,,true,,")


@pytest.fixture
async def desk(web: Database) -> Desk:
    made = await make_desk(web)
    await listen(web, made.account_id)
    return made


@pytest.fixture
def place(web: Database, desk: Desk) -> Place:
    return Place(web, desk.account_id, desk.newsletter_id)


async def shown(place: Place, desk: Desk, import_id: object) -> dict[str, Any]:
    """As the list of the API tells it."""
    async with served(place.web, desk) as here:
        items = (await here.api.get("imports")).json()["items"]
    return next(one for one in items if one["id"] == str(import_id))


@pytest.mark.parametrize(("content", "state"), [(ROWS, "done"), (csv("nobody,,,true,,"), "failed")])
async def test_an_import_is_told_once_when_it_is_over(
    place: Place, desk: Desk, worker: Database, owner: Database, content: bytes, state: str
) -> None:
    """Well or not; its worker killed after the end tells it no second time, and no reader is told."""
    made = await begun(place, content)
    assert await told(place.web, place.id) == []
    await run_once(worker)
    await as_if_its_worker_died(owner)
    await run_once(worker)
    told_by_api = await shown(place, desk, made)
    assert told_by_api["state"] == state
    assert await told(place.web, place.id) == [("import.finished", {"import": told_by_api})]


async def test_posts_that_an_import_brings_live_are_told_as_an_import(
    place: Place, desk: Desk, worker: Database
) -> None:
    """Its release has a number, and no event of its own."""
    view = await imported(place, worker, ghost(ghost_post(1), ghost_post(2)), "ghost-posts", kind="posts")
    assert await told(place.web, place.id) == [
        ("import.finished", {"import": await shown(place, desk, view.id)})
    ]


async def test_a_dry_run_is_told_to_nobody(place: Place, worker: Database) -> None:
    """It changed nothing."""
    assert (await imported(place, worker, ROWS, dry_run=True)).state == "done"
    assert await told(place.web, place.id) == []


async def test_undoing_an_import_tells_nothing_of_its_readers(place: Place, worker: Database) -> None:
    """Whoever came by it was told of by none either."""
    view = await imported(place, worker, ROWS)
    async with place.transaction() as tx:
        await begin_undo(tx, view.id, "Ana")
    await run_once(worker)
    await settled(worker)
    assert [kind for kind, _ in await told(place.web, place.id)] == ["import.finished"]


async def test_an_end_that_is_rolled_back_tells_nothing(place: Place) -> None:
    """W1."""
    made = await begun(place, ROWS)
    async with rolled_back(place.web, place.id) as tx:
        await end_run(tx, made, "It broke.")
    assert await told(place.web, place.id) == []
