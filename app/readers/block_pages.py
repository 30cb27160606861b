"""The studio's pages of blocked addresses: the list by reason, and the record of one with who may lift it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from litestar import Request, Response, get

from app.accounts import Desk
from app.answers import Cursor, page
from app.base.addresses import AddressError, canonical, display
from app.base.errors import Invalid, Problem
from app.readers.blocks import BlockLine, blocked_addresses, blocked_counts
from app.readers.queries import find_reader
from app.suppressions import (
    REASONS,
    BlockChange,
    Reason,
    Suppression,
    block_history,
    may_unblock,
    suppression_of,
)

PAGE = 50
_FRESH = {"Cache-Control": "no-store"}


@dataclass(frozen=True)
class BlockedPage:
    """The blocked addresses of one reason ('': all), newest first, and the form that blocks one by hand."""

    url: str
    readers: str
    reason: str
    counts: dict[Reason, int]
    lines: tuple[BlockLine, ...]
    older: str
    first: str
    address: str = ""
    because: str = ""
    problems: tuple[Problem, ...] = ()

    @property
    def total(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True)
class AddressPage:
    """One address: whether it is blocked and why, its record, and the form that lifts it where it may be."""

    url: str
    readers: str
    address: str
    shown: str
    block: Suppression | None
    record: tuple[BlockChange, ...]
    reader_id: UUID | None
    because: str = ""
    problems: tuple[Problem, ...] = ()

    @property
    def may_lift(self) -> bool:
        """Whether it is a block that an owner can lift at all."""
        return self.block is not None and may_unblock(self.block.reason, "owner")


@get("/readers/blocked", name="studio.blocked")
async def show_blocked(desk: Desk, request: Request) -> Response[Any]:
    """Every blocked address."""
    asked = request.query_params
    return await blocked_response(
        desk, asked.get("reason", ""), asked.get("cursor", ""), asked.get("address", "")
    )


@get("/readers/blocked/one", name="studio.blocked.one")
async def show_address(desk: Desk, request: Request) -> Response[Any]:
    """One address, also one that no reader has."""
    return await address_response(desk, request.query_params.get("address", ""))


async def blocked_response(
    desk: Desk,
    reason: str = "",
    cursor: str = "",
    address: str = "",
    because: str = "",
    problems: tuple[Problem, ...] = (),
) -> Response[Any]:
    """The list, and its form as it was typed. Raises Invalid for a reason that is none."""
    if reason and reason not in REASONS:
        raise Invalid([Problem("reason", f"There is no such reason; choose one of {', '.join(REASONS)}.")])
    before = Cursor.decode(cursor, datetime, str) if cursor else None
    place = (before[0], before[1]) if before else None
    async with desk.transaction() as tx:
        found = await blocked_addresses(tx, reason=reason, before=place, most=PAGE + 1)
        counts = await blocked_counts(tx)
    url = desk.url("readers/blocked")
    query = {"reason": reason} if reason else {}
    older = ""
    if len(found) > PAGE:
        last = found[PAGE - 1].block
        older = f"{url}?{urlencode(query | {'cursor': Cursor.encode(last.created_at, last.address)})}"
    shown = BlockedPage(
        url=url,
        readers=desk.url("readers"),
        reason=reason,
        counts=counts,
        lines=tuple(found[:PAGE]),
        older=older,
        first=f"{url}?{urlencode(query)}".rstrip("?") if cursor else "",
        address=address[:1000],
        because=because,
        problems=problems,
    )
    return _page("readers/blocked.html", desk, shown, problems)


async def address_response(
    desk: Desk, given: str, because: str = "", problems: tuple[Problem, ...] = ()
) -> Response[Any]:
    """The page of one address, and its form as it was typed. Raises Invalid for what is no address."""
    try:
        address = canonical(given)
    except AddressError as error:
        raise Invalid([Problem("address", error.detail)]) from error
    async with desk.transaction() as tx:
        block, record = await suppression_of(tx, address), await block_history(tx, address)
        found = await find_reader(tx, address)
    shown = AddressPage(
        url=desk.url("readers/blocked"),
        readers=desk.url("readers"),
        address=address,
        shown=display(address),
        block=block,
        record=tuple(record),
        reader_id=found.id if found else None,
        because=because,
        problems=problems,
    )
    return _page("readers/blocked_one.html", desk, shown, problems)


def _page(template: str, desk: Desk, shown: object, problems: object) -> Response[Any]:
    status = 422 if problems else 200
    return page(template, status=status, headers=_FRESH, shell=desk.shell("readers"), page=shown)


HANDLERS: tuple[Any, ...] = (show_blocked, show_address)
