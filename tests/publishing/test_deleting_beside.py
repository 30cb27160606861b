"""A post is deleted while others press on it: one of them comes first, and all are answered in words."""

import asyncio
from collections import Counter

import pytest

from app.base.database import Database
from app.base.errors import Conflict
from app.posts import draft_of, lock_post
from app.posts.deleting import delete_post
from tests.posts.clients import Served, served
from tests.posts.makers import Desk, make_desk, make_post
from tests.publishing.makers import make_readers, press_of
from tests.publishing.test_schedule import soon, wait_for
from tests.waiting import until

ROUNDS = 12
CLEAN = {
    "delete": {204, 404, 409},
    "publish": {202, 404, 409},
    "schedule": {202, 404, 409},
    "test": {200, 303, 404},
}


async def waited(owner: Database) -> None:
    """Somebody waits for a row that another holds."""

    async def waits() -> bool:
        async with owner.transaction() as tx:
            return await tx.value("select exists (select from pg_locks where not granted)")

    await until(waits)


async def delete(web: Database, desk: Desk, post_id: object, version: int = 1) -> None:
    """One press of delete."""
    async with web.transaction(desk.account_id) as tx:
        await delete_post(tx, post_id, version)  # type: ignore[arg-type]


async def test_a_publication_that_came_first_gets_the_draft_while_a_delete_waits(
    web: Database, owner: Database
) -> None:
    desk = await make_desk(web)
    post_id = (await make_post(web, desk)).post_id
    async with web.transaction(desk.account_id) as publishing:
        await lock_post(publishing, post_id)
        deleting = asyncio.create_task(delete(web, desk, post_id))
        await waited(owner)
        assert (await draft_of(publishing, post_id, lock=True)).version == 1
    await deleting


async def test_what_is_on_the_schedule_is_refused_without_waiting_for_its_publication(web: Database) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 1)
    post_id = (await make_post(web, desk)).post_id
    waits = await wait_for(web, desk, press_of(desk, post_id), await soon(web))
    async with web.transaction(desk.account_id) as publishing:
        await publishing.value("select 1 from scheduled where id = :id for update", id=waits)
        with pytest.raises(Conflict, match="stays in the books"):
            await delete(web, desk, post_id)
        await lock_post(publishing, post_id)


async def test_a_test_mail_of_what_is_being_deleted_finds_nothing_there(
    web: Database, owner: Database
) -> None:
    desk = await make_desk(web)
    post_id = (await make_post(web, desk)).post_id
    async with served(web, desk) as here:
        async with web.transaction(desk.account_id) as tx:
            await delete_post(tx, post_id, 1)
            pressed = asyncio.create_task(here.studio.post(f"posts/{post_id}/test"))
            await waited(owner)
        answer = await pressed
    assert (answer.status_code, "There is no such post." in answer.text) == (404, True)
    async with owner.transaction() as tx:
        assert await tx.value("select count(*) from job where kind = 'send_message'") == 0


async def _race(web: Database, desk: Desk, here: Served, number: int) -> Counter[tuple[str, int]]:
    """All four at one instant, on a post of their own. What went out stays; what is gone never did."""
    post = f"posts/{(await make_post(web, desk, f'Race {number}')).post_id}"
    at = (await soon(web)).at.isoformat()
    order = {"Idempotency-Key": f"now {number}"}, {"Idempotency-Key": f"later {number}"}
    acts = {
        "publish": here.api.post(f"{post}/publish", json={"site": True, "email": {}}, headers=order[0]),
        "schedule": here.api.post(f"{post}/publish", json={"site": True, "at": at}, headers=order[1]),
        "delete": here.api.delete(post),
        "test": here.studio.post(f"{post}/test"),
    }
    names = list(acts)[number % 4 :] + list(acts)[: number % 4]
    answers = await asyncio.gather(*(acts[name] for name in names))
    told = {name: answer.status_code for name, answer in zip(names, answers, strict=True)}
    there = (await here.api.get(post)).status_code == 200
    assert there == (told["delete"] != 204), told
    assert there == (202 in (told["publish"], told["schedule"])), told
    return Counter(told.items())


async def test_many_races_end_in_clean_answers(web: Database) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 2)
    async with served(web, desk) as here:
        races = await asyncio.gather(*(_race(web, desk, here, number) for number in range(ROUNDS)))
    seen = sum(races, Counter[tuple[str, int]]())
    assert [one for one in seen if one[1] not in CLEAN[one[0]]] == [], seen
