"""Plans in the JSON API: their ids are what the access of a post asks for."""

from typing import Any

from litestar import get

from app.accounts import ApiCaller
from app.plans.items import PlanList, plan_item
from app.plans.queries import plans


@get("/plans")
async def list_plans(caller: ApiCaller) -> PlanList:
    """Every plan in its order, also those that are no longer offered."""
    async with caller.transaction() as tx:
        found = await plans(tx, archived=True)
    return PlanList([plan_item(one) for one in found], None)


HANDLERS: tuple[Any, ...] = (list_plans,)
