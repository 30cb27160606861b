"""Why somebody got a mail or not: the page that finds the right email, and the answer for one of them."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from litestar import Request, Response, get
from litestar.response import Redirect

from app.accounts import Desk
from app.answers import day, page
from app.base.addresses import AddressError, canonical
from app.base.errors import Problem
from app.broadcasts import reasons
from app.broadcasts.progress import read_broadcast
from app.broadcasts.queries import BroadcastView, broadcasts

#: Emails to choose from, the newest.
MOST = 100
_FRESH = {"Cache-Control": "no-store"}


@dataclass(frozen=True)
class AskPage:
    """The question: which address, and which of the newest emails."""

    url: str
    studio: str
    address: str
    chosen: str
    emails: tuple[BroadcastView, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def choices(self) -> list[tuple[str, str]]:
        """For a select: (value, words)."""
        return [
            (str(one.id), f"{one.title} ({day(one.pressed_at).striptags()}, {one.newsletter_name})")
            for one in self.emails
        ]


@dataclass(frozen=True)
class WhyPage:
    """Why one address did, or did not, get an email."""

    view: BroadcastView
    address: str
    answer: reasons.Answer | None
    error: str
    url: str
    studio: str


@get("/why", name="studio.why")
async def ask(desk: Desk, request: Request) -> Response[Any]:
    """Leads to the answer once an address and an email are named."""
    address, chosen = (request.query_params.get(name, "").strip()[:1000] for name in ("address", "email"))
    problems = _problems(address, chosen) if chosen else ()
    if chosen and not problems:
        from_here = desk.url(f"broadcasts/{chosen}/why")
        return Redirect(from_here, query_params={"address": address})
    async with desk.transaction() as tx:
        found = await broadcasts(tx, most=MOST)
    shown = AskPage(desk.url("why"), desk.url(), address, chosen, tuple(found), problems)
    status = 422 if problems else 200
    return page("broadcasts/ask.html", status=status, headers=_FRESH, shell=desk.shell("emails"), page=shown)


@get("/broadcasts/{broadcast_id:uuid}/why")
async def show_why(desk: Desk, request: Request, broadcast_id: UUID) -> Response[str]:
    """Why an address did, or did not, get this email."""
    given = request.query_params.get("address", "").strip()
    async with desk.transaction() as tx:
        view, _ = await read_broadcast(tx, broadcast_id)
        answer, error = await reasons.why(tx, view, given)
    shown = WhyPage(view, given, answer, error, desk.url(f"broadcasts/{broadcast_id}"), desk.url())
    status = 422 if error and given else 200
    return page("broadcasts/why.html", status=status, shell=desk.shell("emails"), page=shown)


def _problems(address: str, chosen: str) -> tuple[Problem, ...]:
    found: list[Problem] = []
    try:
        canonical(address)
    except AddressError as error:
        found.append(Problem("address", error.detail))
    try:
        UUID(chosen)
    except ValueError:
        found.append(Problem("email", "Choose an email from the list."))
    return tuple(found)


HANDLERS: tuple[Any, ...] = (ask, show_why)
