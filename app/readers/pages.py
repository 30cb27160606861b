"""The studio's pages of readers, and the page behind an unsubscribe link. No GET here changes anything."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from litestar import HttpMethod, Request, Response, get, route

from app.accounts import Desk, SiteVisit
from app.answers import Cursor, page
from app.base.errors import NotFound, Problem
from app.ledger import ReaderSend, sends_of_reader
from app.messages import MessageTo, messages_to
from app.readers.queries import (
    ConsentEntry,
    ReaderView,
    consent_history,
    reader,
)
from app.readers.streams import Newsletter, newsletters
from app.readers.unsubscribing import unsubscribe_page, unsubscribe_response
from app.suppressions import BlockChange, Suppression, block_history, suppression_of

GONE = "There is no such reader. Perhaps they were erased."
PAGE = 50


@dataclass(frozen=True)
class Event:
    """One line of a reader's time line."""

    at: datetime
    text: str
    detail: str
    tone: str


@dataclass(frozen=True)
class ReaderPage:
    """One reader: what they get, how that came about, what they were mailed."""

    url: str
    studio: str
    reader: ReaderView
    suppression: Suppression | None
    history: tuple[ConsentEntry, ...]
    blocks: tuple[BlockChange, ...]
    sends: tuple[ReaderSend, ...]
    messages: tuple[MessageTo, ...]
    older: str
    problems: tuple[Problem, ...] = ()
    typed: Mapping[str, str] | None = None

    @property
    def form(self) -> Mapping[str, str]:
        """Name, tags and note: as they were typed, else as they are."""
        there = {"name": self.reader.name, "tags": ", ".join(self.reader.tags), "note": self.reader.note}
        return there if self.typed is None else self.typed

    def events(self, acts: dict[str, str], sources: dict[str, str]) -> list[Event]:
        """What happened, oldest first, in the page's words."""
        lines = [
            Event(
                one.at,
                f"{acts[one.act]} {one.newsletter}",
                one.how,
                "ok" if one.act in ("subscribed", "confirmed") else "",
            )
            for one in self.history
        ]
        lines.append(Event(self.reader.created_at, f"{sources[self.reader.source].capitalize()}", "", ""))
        lines += [
            Event(
                one.at,
                f"Blocked: {one.words}" if one.act == "blocked" else f"The block was lifted ({one.words})",
                " by ".join(filter(None, (one.detail, one.by_name))),
                "bad" if one.act == "blocked" else "ok",
            )
            for one in self.blocks
        ]
        return sorted(lines, key=lambda line: line.at)


@dataclass(frozen=True)
class NewPage:
    """The form that adds a reader: what was typed, and what is wrong with it."""

    url: str
    newsletters: tuple[Newsletter, ...]
    chosen: tuple[str, ...]
    email: str = ""
    name: str = ""
    tags: str = ""
    note: str = ""
    consented: bool = False
    problems: tuple[Problem, ...] = ()


@get("/readers/new", name="studio.reader.new")
async def show_new(desk: Desk) -> Response[str]:
    """The form that adds one reader."""
    return page("readers/new.html", shell=desk.shell("readers"), page=await new_page(desk))


@get("/readers/{reader_id:uuid}", name="studio.reader")
async def show(desk: Desk, request: Request, reader_id: UUID) -> Response[str]:
    """One reader."""
    shown = await reader_page(desk, reader_id, request.query_params.get("before", ""))
    return page("readers/show.html", shell=desk.shell("readers"), page=shown)


@route("/unsubscribe/{token:str}", http_method=[HttpMethod.GET, HttpMethod.HEAD])
async def ask_unsubscribe(visit: SiteVisit, token: str) -> Response[str]:
    """A page with a button; whoever only opens it (a link scanner) changes nothing (R5)."""
    async with visit.transaction() as tx:
        shown = await unsubscribe_page(tx, token)
    return unsubscribe_response(visit, shown)


async def new_page(desk: Desk, **typed: Any) -> NewPage:
    """The empty form, or one that came back."""
    async with desk.transaction() as tx:
        streams = await newsletters(tx)
    usual = tuple(one.slug for one in streams if one.is_default)
    empty = NewPage(url=desk.url("readers"), newsletters=tuple(streams), chosen=usual)
    return replace(empty, **typed)


async def reader_page(
    desk: Desk,
    reader_id: UUID,
    before: str = "",
    problems: tuple[Problem, ...] = (),
    typed: Mapping[str, str] | None = None,
) -> ReaderPage:
    """The page, or the form in it as it was typed. Raises NotFound."""
    last = Cursor.decode(before, UUID)[0] if before else None
    async with desk.transaction() as tx:
        found = await reader(tx, reader_id)
        if found is None:
            raise NotFound(GONE)
        suppression = await suppression_of(tx, found.email)
        blocks, history = await block_history(tx, found.email), await consent_history(tx, reader_id)
        messages = await messages_to(tx, found.email)
        sends = await sends_of_reader(tx, reader_id, before=last, most=PAGE + 1)
    url = desk.url(f"readers/{reader_id}")
    more = f"{url}?before={Cursor.encode(sends[PAGE - 1].mailing_id)}" if len(sends) > PAGE else ""
    return ReaderPage(
        url=url,
        studio=desk.url(),
        reader=found,
        suppression=suppression,
        history=tuple(history),
        blocks=tuple(blocks),
        sends=tuple(sends[:PAGE]),
        messages=tuple(messages),
        older=more,
        problems=problems,
        typed=typed,
    )


HANDLERS: tuple[Any, ...] = (show_new, show)
SITE_HANDLERS: tuple[Any, ...] = (ask_unsubscribe,)
