"""Counts come from few statements and agree with the state that each reader has (R6)."""

from itertools import product

import pytest

from app.base.database import Database
from app.readers import ReaderCounts, ReaderFilter, newsletter_standing, reader_counts, readers
from app.readers.states import READER_STATES
from tests.readers.makers import Place, a_place, another_newsletter

_STATES = (None, "active", "pending", "unsubscribed")
_SUBSCRIBE = """
insert into subscription (account_id, reader_id, newsletter_id, state, consent_source, consent_at)
values (:account, :reader, :newsletter, :state, 'x', godwit_now())
"""
_BLOCK = """
insert into suppression (account_id, address, reason) values (:account, :email, 'bounce')
"""


async def everyone(place: Place, newsletters: list) -> None:
    """A reader for each combination of subscriptions, blocked and not."""
    async with place.transaction() as tx:
        for n, (*states, blocked) in enumerate(product(*[_STATES] * len(newsletters), (False, True))):
            email = f"r{n}@example.org"
            reader = await tx.value(
                "insert into reader (account_id, id, email, source)"
                " values (:account, gen_random_uuid(), :email, 'api') returning id",
                account=place.id,
                email=email,
            )
            for newsletter, state in zip(newsletters, states, strict=True):
                if state:
                    binds = {"reader": reader, "newsletter": newsletter, "state": state}
                    await tx.execute(_SUBSCRIBE, account=place.id, **binds)
            if blocked:
                await tx.execute(_BLOCK, account=place.id, email=email)
        await tx.execute(_BLOCK, account=place.id, email="nobody@example.org")


@pytest.mark.parametrize("several", [False, True])
async def test_counts_by_state_are_those_of_the_readers_one_by_one(
    web: Database, owner: Database, several: bool
) -> None:
    place = await a_place(web)
    newsletters = [place.newsletter_id] + ([await another_newsletter(owner, place)] if several else [])
    await everyone(place, newsletters)
    async with place.transaction() as tx:
        counts = await reader_counts(tx)
        by_one = {state: len(await readers(tx, ReaderFilter(state=state))) for state in READER_STATES}
        assert counts == ReaderCounts(**by_one)
        assert counts.total == await tx.value("select count(*) from reader")
        for newsletter in newsletters:
            standing = await newsletter_standing(tx, newsletter)
            mailable = "select count(*) from mailable where newsletter_id = :id"
            assert standing.will == await tx.value(mailable, id=newsletter)
            every = "select count(*) from subscription where newsletter_id = :id"
            assert standing.will + standing.left_out.total == await tx.value(every, id=newsletter)
