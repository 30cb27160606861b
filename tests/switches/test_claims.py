"""Every claim begun after a switch goes on respects it (L5), and nothing held is lost (L10)."""

from app.base.database import Database
from app.ledger import feed
from app.readers import unsubscribe
from tests.broadcasts.makers import Studio, an_empty_mailbox
from tests.ledger.makers import working
from tests.waiting import until


async def handed_over(owner: Database) -> int:
    async with owner.transaction() as tx:
        return await tx.value("select count(*) from mailbox.mail where kind = 'broadcast'")


async def test_no_copy_goes_while_stopped_and_each_once_when_let_go(studio: Studio, owner: Database) -> None:
    """L5, L10: after the start they still wait; who unsubscribed meanwhile is left out."""
    async with an_empty_mailbox(owner):
        await studio.api.put("/switch", json={"on": True, "scope": "bulk", "reason": "Wrong prices"})
        broadcast_id = await studio.press()
        async with working(studio.worker):

            async def built() -> bool:
                told = (await studio.api.get(f"/broadcasts/{broadcast_id}")).json()
                return told["to_go"] == 12 and told["built_at"] is not None

            await until(built)
            assert await feed(studio.worker) == set()
            assert await handed_over(owner) == 0
            gone = await studio.reader_id("reader3@example.org")
            async with studio.web.transaction(studio.desk.account_id) as tx:
                await unsubscribe(tx, gone, None, "pressed the button")
            await studio.api.put("/switch", json={"on": False})
            assert await feed(studio.worker) == set()
            assert await handed_over(owner) == 0
            assert (await studio.api.post("/switch/let-go")).status_code == 200

            async def finished() -> dict | None:
                told = (await studio.api.get(f"/broadcasts/{broadcast_id}")).json()
                return told if told["state"] == "finished" else None

            told = await until(finished)
        assert (told["sent"], told["skipped"]) == (11, 1)
        assert await handed_over(owner) == 11
