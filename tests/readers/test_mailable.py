"""The view `mailable`, which the ledger's claim reads: its columns, and who is in it (S1, R3)."""

import pytest

from app.base.database import Database
from app.readers import ReaderView, erase_reader, newsletter_standing, unsubscribe
from app.readers.states import SOURCES, SUBSCRIPTION_STATES
from app.suppressions import REASONS, suppress
from tests.readers.makers import Place, a_place


async def test_its_columns_are_those_the_ledger_joins(web: Database) -> None:
    async with web.transaction() as tx:
        rows = await tx.rows(
            "select column_name from information_schema.columns where table_name = 'mailable'"
            " order by ordinal_position"
        )
    names = [row.column_name for row in rows]
    assert names == [
        "account_id",
        "reader_id",
        "newsletter_id",
        "address",
        "name",
    ]


async def test_everybody_is_in_it_or_left_out_for_a_reason(web: Database, owner: Database) -> None:
    """A2: the reasons that the ledger tells are those that the counts have."""
    place = await a_place(web)
    names = ("active", "gone", "blocked", "blocked_and_gone", "pending", "erased", "never")
    who = {name: await place.reader(f"{name}@example.org") for name in names if name != "never"}
    who["never"] = await place.reader("never@example.org", newsletters=())
    async with place.transaction() as tx:
        for name in ("gone", "blocked_and_gone"):
            await unsubscribe(tx, who[name].id, None, "x")
        for name in ("blocked", "blocked_and_gone"):
            await suppress(tx, who[name].email, "bounce")
        await tx.execute(
            "update subscription set state = 'pending' where reader_id = :id", id=who["pending"].id
        )
        await erase_reader(tx, who["erased"].id)

        async def why(one: ReaderView) -> str:
            return await tx.value(
                "select unmailable_reason(:a, :r, :n)", a=place.id, r=one.id, n=place.newsletter_id
            )

        assert {name: await why(one) for name, one in who.items()} == {
            "active": "may be mailed",
            "gone": "unsubscribed",
            "blocked": "blocked address: bounce",
            "blocked_and_gone": "blocked address: bounce",
            "pending": "not confirmed",
            "erased": "erased",
            "never": "never subscribed to this newsletter",
        }
        assert [row.address for row in await tx.rows("select address from mailable")] == [
            "active@example.org"
        ]
        standing = await newsletter_standing(tx, place.newsletter_id)
        left = standing.left_out
        assert (standing.will, left.unsubscribed, left.blocked, left.unconfirmed) == (1, 1, 2, 1)


@pytest.mark.parametrize(
    ("table", "column", "known"),
    [
        ("subscription", "state", SUBSCRIPTION_STATES),
        ("reader", "source", SOURCES),
        ("suppression", "reason", REASONS),
    ],
)
async def test_what_the_code_knows_is_what_the_database_allows(
    owner: Database, table: str, column: str, known: tuple[str, ...]
) -> None:
    async with owner.transaction() as tx:
        check = await tx.value(
            "select pg_get_constraintdef(oid) from pg_constraint where conname = :name",
            name=f"{table}_{column}_check",
        )
    assert sorted(part for part in check.split("'")[1::2]) == sorted(known)


async def test_erasing_takes_the_address_out_of_the_books(place: Place, owner: Database) -> None:
    """R4: what was sent stays counted, without the address."""
    anna = await place.reader()
    async with owner.transaction(place.id) as tx:
        await tx.execute(
            "insert into mailing (account_id, id, source_kind, source_id, newsletter_id, sender, subject,"
            " body_text, body_html, site_url) values (:a, :m, 'broadcast', :m, :n, 'x', 'x', '', '', '')",
            a=place.id,
            m=anna.id,
            n=place.newsletter_id,
        )
        await tx.execute(
            "insert into send (account_id, mailing_id, reader_id, address, state, reason, settled_at)"
            " values (:a, :m, :m, :e, 'failed', 'x', godwit_now())",
            a=place.id,
            m=anna.id,
            e=anna.email,
        )
    async with place.transaction() as tx:
        await erase_reader(tx, anna.id)
    async with owner.transaction() as tx:
        (row,) = await tx.rows("select state, address from send")
        assert (row.state, row.address) == ("failed", None)
