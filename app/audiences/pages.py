"""The studio's list of readers: found by a filter that stands in the address, page by page."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs, urlencode
from uuid import UUID

from litestar import Request, Response, get
from litestar.response import Stream

from app.accounts import Desk
from app.answers import Cursor, page
from app.audiences import act_pages, segment_pages
from app.audiences.criteria import EVERYBODY, FIELDS, fields_of, filter_of
from app.audiences.exporting import csv_lines
from app.audiences.listing import Place, count_found, counts_found, readers_found
from app.audiences.naming import names_in
from app.audiences.segmenting import resolved
from app.audiences.telling import Names, told
from app.base.database import Tx
from app.base.errors import Invalid, Problem
from app.readers import ReaderCounts, ReaderView, known_tags

PAGE = 50
_FRESH = {"Cache-Control": "no-store"}
_STATES = (
    ("active", "subscribed"),
    ("unsubscribed", "unsubscribed"),
    ("pending", "not confirmed"),
    ("suppressed", "blocked"),
)
_SOURCES = (("form", "a form"), ("import", "an import"), ("api", "the API"), ("studio", "the studio"))
#: What the first line of the form asks; any of the others opens the rest of it.
_FIRST = ("q", "state", "any")

Choices = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Chooser:
    """What a filter's form offers."""

    newsletters: Choices
    plans: Choices
    segments: Choices
    emails: Choices
    tags: tuple[str, ...]
    states: Choices = (("", "any state"), *_STATES)
    sources: Choices = (("", "anywhere"), *_SOURCES)


@dataclass(frozen=True)
class ListPage:
    """The list. `matching` counts all that the filter finds, `words` tell it; `counts` are of each state.

    `typed` is the filter's form; with `problems` nothing was looked for.
    """

    url: str
    studio: str
    typed: Mapping[str, str]
    chooser: Chooser
    words: str
    readers: tuple[ReaderView, ...]
    matching: int
    counts: ReaderCounts | None
    nobody: bool
    newer: str
    older: str
    problems: tuple[Problem, ...] = ()

    @property
    def query(self) -> str:
        """The filter as it stands in an address."""
        return urlencode({name: text for name, text in self.typed.items() if text})

    @property
    def filtered(self) -> bool:
        return any(self.typed.values())

    @property
    def opened(self) -> bool:
        """Whether the rest of the form is in use."""
        return any(text for name, text in self.typed.items() if name not in _FIRST)

    @property
    def by_state(self) -> list[tuple[str, str, int]]:
        """Each state with its words and how many, all of them first; empty when they were not counted."""
        counts = self.counts
        if counts is None:
            return []
        return [("", "all", counts.total), *((one, words, getattr(counts, one)) for one, words in _STATES)]

    def with_state(self, state: str) -> str:
        """The address of this list for readers of one state ('': all)."""
        asked = {name: text for name, text in (dict(self.typed) | {"state": state}).items() if text}
        return f"{self.url}?{urlencode(asked)}" if asked else self.url


@get("/readers", name="studio.readers")
async def show_list(desk: Desk, request: Request) -> Response[str]:
    """Every reader, newest first, or those that the filter finds."""
    given = given_fields(request)
    older, newer = (_place(request.query_params.get(name, "")) for name in ("older", "newer"))
    problems: tuple[Problem, ...] = ()
    async with desk.transaction() as tx:
        chooser, names = await choices(tx)
        try:
            wanted = await resolved(tx, filter_of(given))
        except Invalid as error:
            wanted, problems = EVERYBODY, error.problems or (Problem("", error.detail),)
            found, counts, matching = [], None, 0
        else:
            found = await readers_found(tx, wanted, older=older, newer=newer, limit=PAGE + 1)
            counts = await counts_found(tx, wanted)
            matching = counts.of(wanted.state) if counts else await count_found(tx, wanted)
    url = desk.url("readers")
    typed = {name: values[-1] for name, values in given.items()} if problems else fields_of(wanted)
    shown, older_url, newer_url = _turned(url, fields_of(wanted), found, older, newer)
    listed = ListPage(
        url=url,
        studio=desk.url(),
        typed={name: typed.get(name, "") for name in FIELDS},
        chooser=chooser,
        words=told(wanted, names),
        readers=shown,
        matching=matching,
        counts=counts,
        nobody=wanted == EVERYBODY and not problems and matching == 0,
        newer=newer_url,
        older=older_url,
        problems=problems,
    )
    status = 422 if problems else 200
    return page(
        "audiences/list.html", status=status, headers=_FRESH, shell=desk.shell("readers"), page=listed
    )


@get("/readers/export.csv", name="studio.readers.export")
async def export(desk: Desk, request: Request) -> Stream:
    """What the filter finds, as a file that `Import` takes back. Nothing of it is kept here."""
    wanted = filter_of(given_fields(request))
    async with desk.transaction() as tx:
        wanted = await resolved(tx, wanted)
    name = f"readers-{desk.account.slug}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Stream(csv_lines(desk.transaction, wanted), media_type="text/csv; charset=utf-8", headers=headers)


def given_fields(request: Request) -> dict[str, list[str]]:
    """The fields of a filter in an address; our own pages' other fields are left out."""
    try:
        given = parse_qs(request.scope["query_string"].decode("ascii"), errors="strict", max_num_fields=200)
    except ValueError as error:
        raise Invalid("This address cannot be read. Begin again from the list of readers.") from error
    return {name: values for name, values in given.items() if name in FIELDS}


async def choices(tx: Tx) -> tuple[Chooser, Names]:
    """What a filter may choose from, and how it is called."""
    names = await names_in(tx)
    some_plan = (("", "any or none"), ("any", "some plan"), ("none", "no plan"))
    chooser = Chooser(
        newsletters=(("", "any"), *_offered(names.newsletters)),
        plans=(*some_plan, *_offered(names.plans)),
        segments=(("", "any"), *_offered(names.segments)),
        emails=(("", "any or none"), *_offered(names.emails)),
        tags=tuple(await known_tags(tx)),
    )
    return chooser, names


def _offered(named: Mapping[UUID, str]) -> Choices:
    return tuple((str(one), name) for one, name in named.items())


def _place(cursor: str) -> Place | None:
    if not cursor:
        return None
    at, reader_id = Cursor.decode(cursor, datetime, UUID)
    return at, reader_id


def _turned(
    url: str, asked: dict[str, str], found: list[ReaderView], older: object, newer: object
) -> tuple[tuple[ReaderView, ...], str, str]:
    """The readers of this page, and the addresses of the pages beside it ('': there is none)."""
    more = len(found) > PAGE
    backwards = bool(newer) and not older
    shown = tuple(found[-PAGE:] if backwards else found[:PAGE])
    if not shown:
        return shown, "", f"{url}?{urlencode(asked)}".rstrip("?") if older or newer else ""
    places = {"older": shown[-1], "newer": shown[0]}
    leads = {
        name: f"{url}?{urlencode(asked | {name: Cursor.encode(one.joined_at, one.id)})}"
        for name, one in places.items()
    }
    has_older, has_newer = (True, more) if backwards else (more, bool(older))
    return shown, leads["older"] if has_older else "", leads["newer"] if has_newer else ""


HANDLERS: tuple[Any, ...] = (show_list, export, *segment_pages.HANDLERS, *act_pages.HANDLERS)
