"""The mailbox's pages, outside production: everything that was handed over, to look at and search.

Mounted only while the provider is mailbox, behind a guard that lets in this machine and operators.
"""

from dataclasses import dataclass, replace
from typing import Any

from litestar import Request, Response, get

from app.answers import framed_mail, page
from app.base.database import Database
from app.base.errors import NotFound
from app.mail.message import KINDS
from app.mail.queries import (
    MailFilter,
    MailLine,
    MailView,
    count_mails,
    mail_lines,
    mail_view,
)

PAGE = 50
_GONE = "This mail is not in the mailbox: it was never there, or the mailbox was emptied."


@dataclass(frozen=True)
class ListPage:
    """The mailbox. `shown` are the lines of this page, `count` how many match in all."""

    search: str
    kind: str
    kinds: tuple[str, ...]
    shown: tuple[MailLine, ...]
    count: int
    older: str


@get("/mailbox")
async def show_mailbox(request: Request[Any, Any, Any]) -> Response[str]:
    """Newest first; by a part of the address, by kind."""
    asked = request.query_params
    search, kind = asked.get("to", "").strip(), asked.get("kind", "")
    kind = kind if kind in KINDS else ""
    wanted = MailFilter(search=search.replace("\0", ""), kind=kind)
    of_page = replace(wanted, before=_number(asked.get("before", "")))
    async with _database(request).transaction() as tx:
        found = await mail_lines(tx, of_page, most=PAGE + 1)
        count = await count_mails(tx, wanted)
    older = str(found[PAGE - 1].id) if len(found) > PAGE else ""
    shown = ListPage(search, kind, KINDS, tuple(found[:PAGE]), count, older)
    return page("mail/list.html", headers={"Cache-Control": "no-store"}, page=shown)


@get("/mailbox/{mail_id:str}")
async def show_mail(request: Request[Any, Any, Any], mail_id: str) -> Response[str]:
    """One mail: its headers, its code, its HTML in a frame, its text."""
    return page("mail/show.html", page=await _found(request, mail_id))


@get("/mailbox/{mail_id:str}/body")
async def show_body(request: Request[Any, Any, Any], mail_id: str) -> Response[str]:
    """The HTML alone, as a mail program would be given it."""
    found = await _found(request, mail_id)
    if found.html is None:
        raise NotFound("This mail has no HTML, only text.")
    return framed_mail(found.html)


@get("/mailbox/{mail_id:str}/raw")
async def show_raw(request: Request[Any, Any, Any], mail_id: str) -> Response[bytes]:
    """The bytes exactly as they were handed over."""
    found = await _found(request, mail_id)
    headers = {"Content-Disposition": f'attachment; filename="mail-{found.id}.eml"'}
    return Response(found.raw, media_type="message/rfc822", headers=headers)


async def _found(request: Request[Any, Any, Any], mail_id: str) -> MailView:
    number = _number(mail_id)
    if number is not None:
        async with _database(request).transaction() as tx:
            found = await mail_view(tx, number)
        if found is not None:
            return found
    raise NotFound(_GONE)


def _number(given: str) -> int | None:
    return int(given) if given.isascii() and given.isdigit() and len(given) < 19 else None


def _database(request: Request[Any, Any, Any]) -> Database:
    return request.app.state.database


HANDLERS: tuple[Any, ...] = (show_mailbox, show_mail, show_body, show_raw)
