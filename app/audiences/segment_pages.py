"""The studio's pages of segments: the list with live sizes, and the form that keeps a filter under a name."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlencode
from uuid import UUID

from litestar import Request, Response, get

from app.accounts import Desk
from app.answers import page
from app.audiences.criteria import FIELDS, ReaderFilter, fields_of, filter_of
from app.audiences.listing import count_found
from app.audiences.naming import names_in
from app.audiences.segmenting import LONGEST_NAME, resolved, segment, segments
from app.audiences.telling import Names, told
from app.base.errors import Problem

_FRESH = {"Cache-Control": "no-store"}


@dataclass(frozen=True)
class SegmentLine:
    """One segment: its filter in words, how many are in it now, and the query that lists them."""

    id: UUID
    name: str
    words: str
    size: int
    query: str
    created_by: str


@dataclass(frozen=True)
class SegmentsPage:
    """Every segment, by name."""

    url: str
    readers: str
    lines: tuple[SegmentLine, ...]


@dataclass(frozen=True)
class SegmentPage:
    """The form of one: a filter (`query`, in words) and its name. `id` None: it is not made yet."""

    url: str
    readers: str
    id: UUID | None
    name: str
    query: str
    words: str
    size: int
    problems: tuple[Problem, ...] = ()


@get("/readers/segments", name="studio.segments")
async def show_segments(desk: Desk) -> Response[str]:
    """Every segment with its size."""
    async with desk.transaction() as tx:
        kept, names = await segments(tx), await names_in(tx)
        lines = tuple(
            [
                SegmentLine(
                    id=one.id,
                    name=one.name,
                    words=told(one.filter, names),
                    size=await count_found(tx, one.filter),
                    query=urlencode({"segment": str(one.id)}),
                    created_by=one.created_by,
                )
                for one in kept
            ]
        )
    shown = SegmentsPage(desk.url("readers/segments"), desk.url("readers"), lines)
    return page("audiences/segments.html", headers=_FRESH, shell=desk.shell("readers"), page=shown)


@get("/readers/segments/new", name="studio.segment.new")
async def show_new(desk: Desk, request: Request) -> Response[Any]:
    """Keep the filter of the list under a name."""
    query = request.scope["query_string"].decode("ascii", "replace")
    return await segment_response(desk, None, query)


@get("/readers/segments/{segment_id:uuid}", name="studio.segment")
async def show_segment(desk: Desk, request: Request, segment_id: UUID) -> Response[Any]:
    """Change one; a filter in the address is the one it shall have."""
    query = request.scope["query_string"].decode("ascii", "replace")
    return await segment_response(desk, segment_id, query)


async def segment_response(
    desk: Desk,
    segment_id: UUID | None,
    query: str,
    typed: str | None = None,
    problems: tuple[Problem, ...] = (),
) -> Response[Any]:
    """The form, as it is or as it was typed. Raises NotFound, and Invalid for a filter that is none."""
    async with desk.transaction() as tx:
        kept = await segment(tx, segment_id) if segment_id else None
        wanted = filter_in(query)
        if kept and wanted == ReaderFilter():
            wanted = kept.filter
        wanted = await resolved(tx, wanted)
        size, names = await count_found(tx, wanted), await names_in(tx)
    shown = SegmentPage(
        url=desk.url(f"readers/segments/{segment_id}" if segment_id else "readers/segments"),
        readers=desk.url("readers"),
        id=segment_id,
        name=typed if typed is not None else kept.name if kept else _named(wanted, names),
        query=urlencode(fields_of(wanted)),
        words=told(wanted, names),
        size=size,
        problems=problems,
    )
    status = 422 if problems else 200
    shell = desk.shell("readers")
    return page("audiences/segment.html", status=status, headers=_FRESH, shell=shell, page=shown)


def _named(wanted: ReaderFilter, names: Names) -> str:
    """A name to begin with, where one is plain."""
    title = names.emails.get(wanted.got) if wanted.got else None
    return f"Got “{title}”"[:LONGEST_NAME] if title else ""


def filter_in(query: str) -> ReaderFilter:
    """The filter that a query string asks for. Raises Invalid."""
    given = parse_qs(query, max_num_fields=200)
    return filter_of({name: values for name, values in given.items() if name in FIELDS})


HANDLERS: tuple[Any, ...] = (show_segments, show_new, show_segment)
