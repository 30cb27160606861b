"""The bench's transaction that stays open."""

from app.base.database import Database
from app.proof.open_transactions import held_open


async def test_a_transaction_held_open_is_ended_by_no_time_out_of_ours(owner: Database) -> None:
    """Ten minutes are longer than ours may lie idle."""
    async with held_open(owner) as connection:
        told = await connection.fetch(
            "select setting from pg_settings"
            " where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')"
        )
        assert {row["setting"] for row in told} == {"0"}
    async with owner.transaction() as tx:
        assert await tx.value("show idle_in_transaction_session_timeout") != "0"
