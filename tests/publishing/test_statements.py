"""How many statements the writing requests of the API take within their transaction: each is a way to the
database and back, and these are the most frequent of all that write."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from app.base.database import Database, Tx
from app.posts import Writing, create_post, draft_of, save_draft
from app.publishing import Press, publish
from app.webhooks import NewEndpoint, add_endpoint
from tests.posts.makers import Desk, make_desk


class Asked:
    """Statements by which a transaction did its work, without those that begin and end it."""

    def __init__(self, tx: Tx) -> None:
        self.tx = tx
        self.statements: list[str] = []


@asynccontextmanager
async def asking(web: Database, desk: Desk) -> AsyncIterator[Asked]:
    async with web.transaction(desk.account_id) as tx:
        asked = Asked(tx)
        with tx.connection.query_logger(lambda told: asked.statements.append(told.query)):
            yield asked


@pytest.mark.parametrize(("hooks", "most"), [(False, 7), (True, 10)])
async def test_a_draft_takes_one_statement_an_edit_two_and_a_publication_these(
    web: Database, hooks: bool, most: int
) -> None:
    desk = await make_desk(web)
    if hooks:
        async with web.transaction(desk.account_id) as tx:
            await add_endpoint(tx, NewEndpoint(url="https://example.org/hook", events=("release.published",)))
    async with asking(web, desk) as asked:
        draft = await create_post(asked.tx, Writing(title="The bird", markdown="It flies."), titled=True)
    assert len(asked.statements) == 1
    async with asking(web, desk) as asked:
        there = await draft_of(asked.tx, draft.post_id, lock=True)
        wanted = replace(there.writing, markdown="It flies far.")
        await save_draft(asked.tx, draft.post_id, 1, wanted, titled=True, there=there)
    assert len(asked.statements) == 2, asked.statements
    async with asking(web, desk) as asked:
        await publish(asked.tx, Press(key="one", post_id=draft.post_id, site=True, email=None))
    assert len(asked.statements) <= most, asked.statements
