"""What API and events say of plans and of who has them."""

from datetime import datetime

from msgspec import Struct

from app.plans.queries import Given, Plan


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


class AccessItem(Struct):
    """A reader's access by one source, as events tell it. `reader` and `plan` are ids.

    `source`: comp (given by hand), gift, import, stripe. `ends_at` null: no end. `live`: it counts now.
    """

    id: str
    reader: str
    plan: str
    plan_name: str
    source: str
    starts_at: datetime
    ends_at: datetime | None
    live: bool


def plan_item(one: Plan) -> PlanItem:
    """The representation of a plan."""
    return PlanItem(
        id=str(one.id),
        slug=one.slug,
        name=one.name,
        description=one.description,
        readers=one.readers,
        archived_at=one.archived_at,
    )


def access_item(one: Given) -> AccessItem:
    """The representation of an entitlement."""
    return AccessItem(
        id=str(one.id),
        reader=str(one.reader_id),
        plan=str(one.plan_id),
        plan_name=one.plan,
        source=one.source,
        starts_at=one.starts_at,
        ends_at=one.ends_at,
        live=one.live,
    )
