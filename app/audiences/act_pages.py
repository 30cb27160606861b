"""The studio's pages of acts on many readers: what can be done with how many, and how far it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from litestar import Request, Response, get

from app.accounts import Desk
from app.answers import fragment, page
from app.audiences.bulk import BulkAct, bulk_act, bulk_acts
from app.audiences.criteria import fields_of
from app.audiences.listing import count_found
from app.audiences.naming import names_in
from app.audiences.segment_pages import filter_in
from app.audiences.segmenting import resolved
from app.audiences.telling import Names, told
from app.base.errors import Problem
from app.readers import known_tags, newsletters

_FRESH = {"Cache-Control": "no-store"}


@dataclass(frozen=True)
class ChoosePage:
    """What can be done with all `size` readers of a filter (`query`, in words). `typed` is by field."""

    url: str
    readers: str
    query: str
    words: str
    size: int
    newsletters: tuple[tuple[str, str], ...]
    tags: tuple[str, ...]
    typed: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    def as_typed(self, name: str) -> str:
        return self.typed.get(name, "")


@dataclass(frozen=True)
class ActLine:
    """An act, and whom it was about in words."""

    act: BulkAct
    words: str


@dataclass(frozen=True)
class ActPage:
    """One act and how far it is."""

    url: str
    acts: str
    readers: str
    line: ActLine


@dataclass(frozen=True)
class ActsPage:
    """The newest acts."""

    url: str
    readers: str
    lines: tuple[ActLine, ...]


@get("/readers/acts/new", name="studio.act.new")
async def show_choices(desk: Desk, request: Request) -> Response[Any]:
    """What can be done with all that the filter finds, and how many that are."""
    return await choose_response(desk, request.scope["query_string"].decode("ascii", "replace"))


@get("/readers/acts", name="studio.acts")
async def show_acts(desk: Desk) -> Response[str]:
    """What was done with many at once."""
    async with desk.transaction() as tx:
        found, names = await bulk_acts(tx), await names_in(tx)
    lines = tuple(_line(one, names) for one in found)
    shown = ActsPage(desk.url("readers/acts"), desk.url("readers"), lines)
    return page("audiences/acts.html", headers=_FRESH, shell=desk.shell("readers"), page=shown)


@get("/readers/acts/{act_id:uuid}", name="studio.act")
async def show_act(desk: Desk, act_id: UUID) -> Response[str]:
    """One act, live while it goes on."""
    shown = await _act_page(desk, act_id)
    return page("audiences/act.html", headers=_FRESH, shell=desk.shell("readers"), page=shown)


@get("/readers/acts/{act_id:uuid}/progress")
async def show_progress(desk: Desk, act_id: UUID) -> Response[str]:
    """The part of the page that changes, for htmx to ask again."""
    shown = await _act_page(desk, act_id)
    return fragment("audiences/_act.html", headers=_FRESH, page=shown, zone=desk.account.zone)


async def choose_response(
    desk: Desk, query: str, typed: Mapping[str, str] | None = None, problems: tuple[Problem, ...] = ()
) -> Response[Any]:
    """The choice, or its form as it was typed."""
    async with desk.transaction() as tx:
        wanted = await resolved(tx, filter_in(query))
        size, names = await count_found(tx, wanted), await names_in(tx)
        streams, tags = await newsletters(tx), await known_tags(tx)
    shown = ChoosePage(
        url=desk.url("readers/acts"),
        readers=desk.url("readers"),
        query=urlencode(fields_of(wanted)),
        words=told(wanted, names),
        size=size,
        newsletters=(("", "every newsletter"), *((str(one.id), one.name) for one in streams)),
        tags=tuple(tags),
        typed=typed or {},
        problems=problems,
    )
    status = 422 if problems else 200
    shell = desk.shell("readers")
    return page("audiences/act_new.html", status=status, headers=_FRESH, shell=shell, page=shown)


async def _act_page(desk: Desk, act_id: UUID) -> ActPage:
    async with desk.transaction() as tx:
        found, names = await bulk_act(tx, act_id), await names_in(tx)
    acts = desk.url("readers/acts")
    return ActPage(f"{acts}/{act_id}", acts, desk.url("readers"), _line(found, names))


def _line(act: BulkAct, names: Names) -> ActLine:
    return ActLine(act, told(act.filter, names))


HANDLERS: tuple[Any, ...] = (show_choices, show_acts, show_act, show_progress)
