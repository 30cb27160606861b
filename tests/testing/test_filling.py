"""What filling an account costs does not grow with its readers; `godwit bench testing` has the figures."""

import pytest

from app.base.database import Database
from app.testing.seeds import Recipe, fill
from tests.posts.makers import make_desk

pytestmark = pytest.mark.anyio


async def test_two_thousand_readers_take_as_many_statements_as_twenty(web: Database) -> None:
    asked: dict[int, list[str]] = {20: [], 2000: []}
    for readers, statements in asked.items():
        desk = await make_desk(web, f"desk-{readers}")
        recipe = Recipe(seed=1, readers=readers, posts=0, newsletters=1, endpoints=0)
        async with web.transaction(desk.account_id) as tx:
            with tx.connection.query_logger(lambda told, into=statements: into.append(told.query)):
                await fill(tx, recipe, desk.slug, desk.creator_id, "Ana", receivers_port=0)
            assert await tx.value("select count(*) from reader") == readers
    assert asked[2000] == asked[20]
