"""Will get it + left out = everybody who ever subscribed (audiences A1, A2)."""

from sqlalchemy import func, select

from app.audiences import AudienceSize, select_readers, size
from app.base.database import Database
from app.readers import LeftOut, find_reader, unsubscribe
from app.suppressions import suppress
from tests.imports.makers import GHOST, imported
from tests.readers.makers import a_place


async def test_the_audience_of_an_imported_newsletter_is_those_subscribed(
    web: Database, worker: Database
) -> None:
    """A1, A2: 1,846 will get it, 154 will not; two unsubscribe and one is blocked: 1,843 and 157."""
    place = await a_place(web)
    await imported(place, worker, GHOST)
    audience = select_readers(place.newsletter_id)
    async with place.transaction() as tx:
        assert await size(tx, place.newsletter_id) == AudienceSize(1846, LeftOut(154, 0, 0))
        rows = await tx.rows(audience)
        assert len({row.reader_id for row in rows}) == 1846
        assert {row.variant for row in rows} == {"full"}
        for row in rows[:2]:
            await unsubscribe(tx, row.reader_id, place.newsletter_id, "by the button")
        gone = await find_reader(tx, "reader699@example.com")
        assert gone
        await suppress(tx, gone.email, "bounce")
        now = await size(tx, place.newsletter_id)
        assert now == AudienceSize(1843, LeftOut(156, 1, 0))
        assert now.will + now.left_out.total == 2000
        assert await tx.value(select(func.count()).select_from(audience.subquery())) == now.will


async def test_the_audience_is_of_one_account(web: Database, worker: Database) -> None:
    """T1."""
    place, other = await a_place(web), await a_place(web, "elsewhere")
    await imported(place, worker, GHOST)
    async with other.transaction() as tx:
        assert await size(tx, place.newsletter_id) == AudienceSize(0, LeftOut(0, 0, 0))
        assert await tx.rows(select_readers(place.newsletter_id)) == []
