"""Plans, and readers who have them."""

from datetime import datetime
from uuid import UUID

from app.plans import Viewer, grant, plan_named, viewer_of
from tests.readers.makers import Place


async def a_plan(place: Place, name: str = "Gold") -> UUID:
    """A plan of the account."""
    async with place.transaction() as tx:
        return await plan_named(tx, "", name)


async def give(
    place: Place,
    reader_id: UUID,
    plan_id: UUID,
    source: str = "comp",
    reference: str = "",
    ends_at: datetime | None = None,
    starts_at: datetime | None = None,
) -> UUID:
    """Access from a source."""
    async with place.transaction() as tx:
        return await grant(
            tx,
            reader_id,
            plan_id,
            source=source,
            reference=reference,
            reason="a test",
            by="Ana",
            starts_at=starts_at,
            ends_at=ends_at,
        )


async def seen_as(place: Place, reader_id: UUID | None) -> Viewer:
    """The reader as one who looks now."""
    async with place.transaction() as tx:
        return await viewer_of(tx, reader_id)
