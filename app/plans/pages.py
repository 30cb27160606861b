"""The studio's pages of plans, and of what one reader may read and why. No GET here changes anything."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from litestar import Request, Response, get

from app.accounts import Desk
from app.answers import page
from app.base.errors import NotFound, Problem
from app.plans.queries import Entitlement, Plan, entitlements_of, plan, plans
from app.readers import ReaderView, reader

_FRESH = {"Cache-Control": "no-store"}


@dataclass(frozen=True)
class Typed:
    """A plan's form as it stands, or as it was typed."""

    name: str = ""
    description: str = ""
    slug: str = ""


@dataclass(frozen=True)
class PlansPage:
    """Every plan: those on offer in their order, then the archived ones; and the form of a new one."""

    url: str
    offered: tuple[Plan, ...]
    archived: tuple[Plan, ...]
    typed: Typed
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class PlanPage:
    """One plan, to be changed."""

    url: str
    list_url: str
    plan: Plan
    typed: Typed
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class AccessPage:
    """What a reader may read and why: each source with its end, and the form that gives more.

    `typed` holds what was typed under plan, reason and ends.
    """

    url: str
    reader_url: str
    readers_url: str
    plans_url: str
    reader: ReaderView
    entitlements: tuple[Entitlement, ...]
    offered: tuple[Plan, ...]
    typed: Mapping[str, str]
    problems: tuple[Problem, ...] = ()

    @property
    def live(self) -> tuple[Entitlement, ...]:
        """What counts right now."""
        return tuple(one for one in self.entitlements if one.live)

    @property
    def names(self) -> tuple[str, ...]:
        """The plans they have right now, each once."""
        return tuple(dict.fromkeys(one.plan for one in self.live))

    @property
    def choices(self) -> list[tuple[str, str]]:
        """For a select: (value, words)."""
        return [(str(one.id), one.name) for one in self.offered]


@get("/plans", name="studio.plans")
async def show_list(desk: Desk) -> Response[Any]:
    """Every plan."""
    return await list_response(desk)


@get("/plans/{plan_id:uuid}", name="studio.plan")
async def show(desk: Desk, plan_id: UUID) -> Response[Any]:
    """One plan."""
    return await plan_response(desk, plan_id)


@get("/readers/{reader_id:uuid}/access", name="studio.reader.access")
async def show_access(desk: Desk, request: Request, reader_id: UUID) -> Response[Any]:
    """What one reader may read; their own page takes the fragment #access from here."""
    return await access_response(desk, reader_id)


async def list_response(
    desk: Desk, typed: Typed | None = None, problems: tuple[Problem, ...] = ()
) -> Response[Any]:
    """The list, or its form as it was typed."""
    async with desk.transaction() as tx:
        found = await plans(tx, archived=True)
    shown = PlansPage(
        url=desk.url("plans"),
        offered=tuple(one for one in found if one.archived_at is None),
        archived=tuple(one for one in found if one.archived_at is not None),
        typed=typed or Typed(),
        problems=problems,
    )
    return _page("plans/list.html", desk, "settings", shown, problems)


async def plan_response(
    desk: Desk, plan_id: UUID, typed: Typed | None = None, problems: tuple[Problem, ...] = ()
) -> Response[Any]:
    """One plan's form, as it is or as it was typed. Raises NotFound."""
    async with desk.transaction() as tx:
        found = await plan(tx, plan_id)
    url = desk.url("plans")
    shown = PlanPage(
        url=f"{url}/{plan_id}",
        list_url=url,
        plan=found,
        typed=typed or Typed(found.name, found.description, found.slug),
        problems=problems,
    )
    return _page("plans/show.html", desk, "settings", shown, problems)


async def access_response(
    desk: Desk, reader_id: UUID, typed: Mapping[str, str] | None = None, problems: tuple[Problem, ...] = ()
) -> Response[Any]:
    """A reader's access, and the form as it was typed. Raises NotFound."""
    async with desk.transaction() as tx:
        found = await reader(tx, reader_id)
        if found is None:
            raise NotFound("There is no such reader. Perhaps they were erased.")
        entitlements, offered = await entitlements_of(tx, reader_id), await plans(tx)
    readers_url = desk.url("readers")
    shown = AccessPage(
        url=f"{readers_url}/{reader_id}/access",
        reader_url=f"{readers_url}/{reader_id}",
        readers_url=readers_url,
        plans_url=desk.url("plans"),
        reader=found,
        entitlements=tuple(entitlements),
        offered=tuple(offered),
        typed=typed or {"plan": "", "reason": "", "ends": ""},
        problems=problems,
    )
    return _page("plans/access.html", desk, "readers", shown, problems)


def _page(template: str, desk: Desk, section: str, shown: object, problems: object) -> Response[Any]:
    status = 422 if problems else 200
    return page(template, status=status, headers=_FRESH, shell=desk.shell(section), page=shown)


HANDLERS: tuple[Any, ...] = (show_list, show, show_access)
