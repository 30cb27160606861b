"""Automatic emails in the studio: which there are, every one queued, one with its tries."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from litestar import Request, Response, get

from app.answers import Cursor, framed_mail, page
from app.base.errors import Invalid, NotFound, Problem
from app.base.settings import settings
from app.mail import Refusal, standing_refusal
from app.messages.catalogue import CATALOGUE, Entry
from app.messages.entrance import Desk
from app.messages.outgoing import (
    STATES,
    MessageLine,
    Try,
    Words,
    are_held,
    are_stopped,
    message,
    message_counts,
    messages,
    tries,
    words_of,
)
from app.messages.rendering import RenderedMessage, render_message

PAGE = 50
_FRESH = {"Cache-Control": "no-store"}


@dataclass(frozen=True)
class ListPage:
    """Every automatic email of the account, those of one state, and the catalogue."""

    url: str
    state: str
    counts: Mapping[str, int]
    lines: tuple[MessageLine, ...]
    catalogue: tuple[Entry, ...]
    older: str
    first: str
    provider: str
    refusal: Refusal | None

    @property
    def waiting(self) -> int:
        """Those that go by themselves once they may."""
        return self.counts["pending"] + self.counts["retrying"]

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.counts.values())


@dataclass(frozen=True)
class MessagePage:
    """One automatic email. `words` is None when its body is not shown; `refusal`: what it waits for.

    `stopped`: automatic emails are stopped now.
    """

    url: str
    list_url: str
    line: MessageLine
    words: Words | None
    tries: tuple[Try, ...]
    provider: str
    refusal: Refusal | None
    stopped: bool


@dataclass(frozen=True)
class PreviewPage:
    """How a mail of the catalogue looks, with made-up names."""

    url: str
    list_url: str
    entry: Entry
    mail: RenderedMessage


@get("/messages", name="studio.messages")
async def show_list(desk: Desk, request: Request) -> Response[str]:
    """Newest first; one state at a time if asked."""
    state, given = request.query_params.get("state", ""), request.query_params.get("cursor", "")
    if state and state not in STATES:
        raise Invalid([Problem("state", "There is no such state.")])
    before = Cursor.decode(given, int)[0] if given else None
    async with desk.transaction() as tx:
        holding = await are_held(tx)
        counts = await message_counts(tx, holding=holding)
        refusal = await standing_refusal(tx)
        found = await messages(tx, holding=holding, state=state, before=before, most=PAGE + 1)
    url = desk.url("messages")
    query = f"state={state}&" if state else ""
    shown = ListPage(
        url=url,
        state=state,
        counts=counts,
        lines=tuple(found[:PAGE]),
        catalogue=tuple(CATALOGUE.values()),
        older=f"{url}?{query}cursor={Cursor.encode(found[PAGE - 1].id)}" if len(found) > PAGE else "",
        first=f"{url}?{query}".rstrip("?&") if before else "",
        provider=settings().mail.provider,
        refusal=refusal,
    )
    return page("messages/list.html", headers=_FRESH, shell=desk.shell("messages"), page=shown)


@get("/messages/{message_id:int}", name="studio.message")
async def show(desk: Desk, message_id: int) -> Response[str]:
    """One, with every try of it."""
    async with desk.transaction() as tx:
        holding = await are_held(tx)
        line = await message(tx, known_id(message_id), holding=holding)
        words, tried = await words_of(tx, line), await tries(tx, line.id)
        refusal = await standing_refusal(tx) if line.state in ("pending", "retrying") else None
        stopped = await are_stopped(tx)
    list_url = desk.url("messages")
    shown = MessagePage(
        url=f"{list_url}/{line.id}",
        list_url=list_url,
        line=line,
        words=words,
        tries=tuple(tried),
        provider=settings().mail.provider,
        refusal=refusal,
        stopped=stopped,
    )
    return page("messages/show.html", headers=_FRESH, shell=desk.shell("messages"), page=shown)


@get("/messages/{message_id:int}/body")
async def show_body(desk: Desk, message_id: int) -> Response[str]:
    """The HTML alone, under a policy of its own."""
    async with desk.transaction() as tx:
        words = await words_of(tx, await message(tx, known_id(message_id), holding=False))
    if words is None or words.html is None:
        raise NotFound("This automatic email has no HTML to show.")
    return framed_mail(words.html)


@get("/messages/preview/{name:str}")
async def show_preview(desk: Desk, name: str) -> Response[str]:
    """How a mail of the catalogue looks."""
    entry, mail = _specimen(name)
    list_url = desk.url("messages")
    shown = PreviewPage(f"{list_url}/preview/{name}", list_url, entry, mail)
    return page("messages/preview.html", shell=desk.shell("messages"), page=shown)


@get("/messages/preview/{name:str}/body")
async def show_preview_body(desk: Desk, name: str) -> Response[str]:
    """Its HTML alone."""
    return framed_mail(_specimen(name)[1].html or "")


def _specimen(name: str) -> tuple[Entry, RenderedMessage]:
    entry = CATALOGUE.get(name)
    if entry is None or entry.specimen is None:
        raise NotFound("There is no such automatic email to look at.")
    return entry, render_message(name, **entry.specimen)


def known_id(given: int) -> int:
    """Raises NotFound for a number that no message can have."""
    if not 0 < given < 2**63:
        raise NotFound("There is no such automatic email.")
    return given


HANDLERS: tuple[Any, ...] = (show_list, show, show_body, show_preview, show_preview_body)
