"""Plans in the JSON API: their ids are what the access of a post asks for."""

from datetime import datetime
from typing import Any

from litestar import get
from msgspec import Struct

from app.accounts import ApiCaller
from app.plans.queries import plans


class PlanItem(Struct):
    """A plan. `readers` have it right now; `archived_at` null: it is offered."""

    id: str
    slug: str
    name: str
    description: str
    readers: int
    archived_at: datetime | None


class PlanList(Struct):
    """All of them, in their order; `next` is null: there is no second page."""

    items: list[PlanItem]
    next: str | None


@get("/plans")
async def list_plans(caller: ApiCaller) -> PlanList:
    """Every plan in its order, also those that are no longer offered."""
    async with caller.transaction() as tx:
        found = await plans(tx, archived=True)
    return PlanList(
        [
            PlanItem(
                id=str(one.id),
                slug=one.slug,
                name=one.name,
                description=one.description,
                readers=one.readers,
                archived_at=one.archived_at,
            )
            for one in found
        ],
        None,
    )


HANDLERS: tuple[Any, ...] = (list_plans,)
