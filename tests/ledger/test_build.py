"""Building: L2, L7."""

import asyncio
from contextlib import suppress

import pytest

from app.audiences import select_readers
from app.ledger import record_chunk
from tests.ledger.makers import audience_of, build, figures_of, mailing_to, state_of

pytestmark = pytest.mark.anyio


async def test_every_reader_is_recorded_once_chunk_by_chunk(web, worker):
    """L2, L7."""
    audience = await audience_of(web, 23)
    mailing = await mailing_to(web, audience)
    await build(worker, audience, mailing, chunk=5)
    figures = await figures_of(worker, audience, mailing)
    assert (figures.planned, figures.audience) == (23, 23)
    assert await state_of(worker, audience, mailing) == "sending"


async def test_a_chunk_that_is_rolled_back_is_recorded_by_the_next_try(web, worker):
    """L2: rows and cursor commit together or not at all."""
    audience = await audience_of(web, 12)
    mailing = await mailing_to(web, audience)
    with suppress(ZeroDivisionError):
        async with worker.transaction(audience.account_id) as tx:
            await record_chunk(tx, mailing, select_readers(audience.newsletter_id), chunk=5)
            raise ZeroDivisionError
    assert (await figures_of(worker, audience, mailing)).audience == 0
    await build(worker, audience, mailing, chunk=5)
    assert (await figures_of(worker, audience, mailing)).audience == 12


async def test_two_builds_at_once_double_nobody(web, worker):
    """L2."""
    audience = await audience_of(web, 30)
    mailing = await mailing_to(web, audience)
    await asyncio.gather(*(build(worker, audience, mailing, chunk=4) for _ in range(3)))
    async with worker.transaction(audience.account_id) as tx:
        assert await tx.value("select count(*) from send") == 30
    assert (await figures_of(worker, audience, mailing)).audience == 30


async def test_a_chunk_of_exactly_the_size_is_followed_by_an_empty_one(web, worker):
    """The audience is whole only when a chunk came back short."""
    audience = await audience_of(web, 10)
    mailing = await mailing_to(web, audience)
    await build(worker, audience, mailing, chunk=5)
    assert await state_of(worker, audience, mailing) == "sending"
    assert (await figures_of(worker, audience, mailing)).audience == 10
