"""Answers kept for an Idempotency-Key: kept although it fails once, forgotten after their day (6)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from app.accounts import PruneAnswers, create_api_key
from app.base.database import Database
from app.jobs import enqueue
from tests.accounts.makers import open_account
from tests.messages.makers import a_loop, run
from tests.readers.makers import a_place
from workers import catalog

_KEPT = """
insert into idempotency (account_id, key, request_hash, created_at)
values (:account, :key, '\\x00', clock_timestamp() - make_interval(hours => :hours))
"""
# What happens so many times to whoever keeps an answer; a sequence counts what is rolled back too.
_CUT = (
    "create sequence cut",
    "grant usage on sequence cut to godwit_web",
    "create function cut() returns trigger language plpgsql as $$ begin if nextval('cut') <= {times} then"
    " {what}; end if; return new; end $$",
    "create trigger cut before update on idempotency for each row execute function cut()",
)
_IS_CUT = "perform pg_terminate_backend(pg_backend_pid())"
_WAITS_TOO_LONG = "raise exception 'the row was not to be had' using errcode = '55P03'"
_MENDED = ("drop function cut() cascade", "drop sequence cut")


@asynccontextmanager
async def met_while_kept(owner: Database, what: str, times: int) -> AsyncIterator[None]:
    async with owner.transaction() as tx:
        for statement in _CUT:
            await tx.execute(statement.replace("{times}", str(times)).replace("{what}", what))
    try:
        yield
    finally:
        async with owner.transaction() as tx:
            for statement in _MENDED:
                await tx.execute(statement)


@pytest.mark.parametrize(("times", "again"), [(1, 201), (99, 409)])
@pytest.mark.parametrize("what", [_IS_CUT, _WAITS_TOO_LONG], ids=["cut", "waits"])
async def test_what_was_done_is_told_although_its_answer_cannot_be_kept_just_then(
    studio: str, web: Database, owner: Database, what: str, times: int, again: int
) -> None:
    """Never an error for what was done: a program would do it again. Kept at the next try."""
    await open_account(web, "ana@example.com", "tidelines")
    async with web.transaction() as tx:
        key = await create_api_key(tx, slug="tidelines", name="cut")
    headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": "one"}
    async with (
        met_while_kept(owner, what, times),
        httpx.AsyncClient(base_url=studio, headers=headers) as program,
    ):
        made = await program.post("/api/v1/posts", json={"title": "Once"})
        assert made.status_code == 201
        more = await program.post("/api/v1/posts", json={"title": "Once"})
        assert more.status_code == again
        shown = await program.get("/api/v1/posts")
    assert [post["id"] for post in shown.json()["items"]] == [made.json()["id"]]


async def test_a_silent_account_keeps_no_answer_longer_than_a_day(
    web: Database, worker: Database, owner: Database
) -> None:
    """The next call of the account would forget it; there may be none."""
    catalog.load()
    silent, other = await a_place(web, "silent"), await a_place(web, "other")
    async with owner.transaction() as tx:
        for key, hours in (("old", 25), ("new", 23)):
            await tx.execute(_KEPT, account=silent.id, key=key, hours=hours)
    async with other.transaction() as tx:
        await enqueue(tx, PruneAnswers())
    await run(a_loop(worker, "housekeeping"))
    async with owner.transaction() as tx:
        assert [row.key for row in await tx.rows("select key from idempotency")] == ["new"]
