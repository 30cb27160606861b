"""Readers and newsletters in the JSON API."""

from datetime import datetime
from typing import Any
from uuid import UUID

from litestar import Request, Response, delete, get, patch, post
from litestar.openapi import ResponseSpec
from msgspec import UnsetType, structs

from app.accounts import ApiCaller
from app.answers import PAGED, Option, asks, paging_of
from app.base.addresses import AddressError, canonical
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, NotFound, Problem, TooMany
from app.ledger import sends_of_reader
from app.readers.additions import NewReader, add_reader
from app.readers.bodies import GivenChange, GivenConsent, GivenReader
from app.readers.changes import Change, change_reader
from app.readers.erasure import erase_reader
from app.readers.given import Checked
from app.readers.items import (
    KnownReader,
    NewsletterList,
    ReaderItem,
    ReaderPage,
    ReaderSendPage,
    newsletter_item,
    reader_item,
    send_item,
)
from app.readers.queries import ReaderFilter, find_reader, reader, readers
from app.readers.sign_up import Asked, ask
from app.readers.states import READER_STATES
from app.readers.streams import newsletters
from app.readers.subscriptions import Consent

GONE = "There is no such reader."
KNOWN = "This address is a reader already. Nothing was changed."
NO_NEWSLETTER = "Name a newsletter that this reader agreed to, or leave it out for the default one."
BLOCKED = (
    "This address is blocked by the team: nothing is mailed to it. An owner lifts the block in the studio."
)
OFTEN = "This address was asked several times just now. Nothing was added; try again tomorrow."
#: Seconds until an address that was asked too often may be asked again, at the latest.
TOMORROW = 86400


@get("/newsletters")
async def list_newsletters(caller: ApiCaller) -> NewsletterList:
    """Every newsletter, the default one first."""
    async with caller.transaction() as tx:
        return NewsletterList([newsletter_item(one) for one in await newsletters(tx)], None)


@get(
    "/readers",
    opt=asks(
        *PAGED,
        Option("email", "The reader with this address."),
        Option("state", "Only readers in this state.", one_of=READER_STATES),
        Option("tag", "Only readers with this tag."),
    ),
)
async def list_readers(caller: ApiCaller, request: Request) -> ReaderPage:
    """Newest first; `?email=` finds one, `?state=` and `?tag=` pick."""
    wanted, paging = _filter(request), paging_of(request)
    older = paging.after(datetime, UUID)
    async with caller.transaction() as tx:
        found = await readers(tx, wanted, older=older, limit=paging.limit + 1)
    shown, following = paging.cut(found, lambda one: (one.joined_at, one.id))
    return ReaderPage([reader_item(one) for one in shown], following)


@post(
    "/readers",
    status_code=201,
    responses={200: ResponseSpec(KnownReader, generate_examples=False, description=KNOWN)},
)
async def create_reader(caller: ApiCaller, data: GivenReader) -> Response[ReaderItem]:
    """Add a reader: 201. Without `consent` they are pending, and a confirmation is mailed.

    One who exists is left as is: 200, with a notice.
    """
    async with caller.transaction() as tx:
        new = await _new_reader(tx, data)
    try:
        async with caller.transaction() as tx:
            if await find_reader(tx, new.email) is not None:
                raise _ThereAlready
            return Response(await _made(tx, caller, new, data), status_code=201)
    except _ThereAlready:
        async with caller.transaction() as tx:
            known = await find_reader(tx, new.email)
        if known is None:
            raise Conflict("This reader was erased just now. Try again.") from None
        told = KnownReader(**structs.asdict(reader_item(known)), notice=KNOWN)
        return Response(told, status_code=200)


@get("/readers/{reader_id:uuid}")
async def show_reader(caller: ApiCaller, reader_id: UUID) -> ReaderItem:
    """One reader."""
    async with caller.transaction() as tx:
        return await _told(tx, reader_id)


@patch("/readers/{reader_id:uuid}")
async def update_reader(caller: ApiCaller, reader_id: UUID, data: GivenChange) -> ReaderItem:
    """Change name, note, tags, newsletters. An unsubscribe is not lifted: 409."""
    async with caller.transaction() as tx:
        await change_reader(
            tx, reader_id, await _change(tx, data), f"unsubscribed by the API ({caller.key_name})"
        )
        return await _told(tx, reader_id)


@delete("/readers/{reader_id:uuid}", status_code=204)
async def remove_reader(caller: ApiCaller, reader_id: UUID) -> None:
    """Erase for good: the reader and every trace of the address but a keyed hash."""
    async with caller.transaction() as tx:
        if not await erase_reader(tx, reader_id):
            raise NotFound(GONE)


@get("/readers/{reader_id:uuid}/sends", opt=asks(*PAGED))
async def list_reader_sends(caller: ApiCaller, request: Request, reader_id: UUID) -> ReaderSendPage:
    """Every mail to one reader, newest first."""
    paging = paging_of(request)
    place = paging.after(UUID)
    async with caller.transaction() as tx:
        found = await reader(tx, reader_id)
        if found is None:
            raise NotFound(GONE)
        sends = await sends_of_reader(tx, found.id, before=place[0] if place else None, most=paging.limit + 1)
    shown, following = paging.cut(sends, lambda one: (one.mailing_id,))
    return ReaderSendPage([send_item(one) for one in shown], following)


def _filter(request: Request) -> ReaderFilter:
    asked = request.query_params
    state, email = asked.get("state", ""), asked.get("email")
    if state and state not in READER_STATES:
        raise Invalid(
            [Problem("state", f"There is no such state; choose one of {', '.join(READER_STATES)}.")]
        )
    try:
        address = canonical(email) if email else None
    except AddressError as error:
        raise Invalid([Problem("email", error.detail)]) from error
    if "\0" in asked.get("tag", ""):
        raise Invalid([Problem("tag", "There is a NUL in it, which no tag has.")])
    return ReaderFilter(email=address, state=state or None, tag=asked.get("tag", ""))


async def _new_reader(tx: Tx, data: GivenReader) -> NewReader:
    checked = Checked()
    new = NewReader(
        email=checked.email(data.email),
        newsletters=await checked.newsletters(tx, data.newsletters),
        consent=_consent(checked, data.consent) or Consent(""),
        source="api",
        name=checked.name(data.name),
        tags=checked.tags(data.tags),
        note=checked.note(data.note),
    )
    if data.newsletters == []:
        checked.wrong("newsletters", NO_NEWSLETTER)
    checked.refuse()
    return new


class _ThereAlready(Exception):
    """Another call made the reader first: nothing of this one stands, and nobody is mailed by it."""


async def _made(tx: Tx, caller: ApiCaller, new: NewReader, data: GivenReader) -> ReaderItem:
    """The new reader. Raises _ThereAlready when somebody was faster."""
    if data.consent is None:
        await _ask(tx, caller, new)
        made = await find_reader(tx, new.email)
        assert made is not None
        return reader_item(made)
    added = await add_reader(tx, new)
    if not added.created:
        raise _ThereAlready
    return await _told(tx, added.reader_id)


async def _ask(tx: Tx, caller: ApiCaller, new: NewReader) -> None:
    """A pending reader, with all that was given.

    Raises Conflict, TooMany when nothing may be mailed, and _ThereAlready.
    """
    wanted = tuple(one for one in await newsletters(tx) if one.id in new.newsletters)
    where = f"asked by the API ({caller.key_name})"
    became = await ask(tx, caller.account, Asked(new.email, wanted, where, name=new.name, source="api"))
    if became == "blocked":
        raise Conflict(BLOCKED)
    if became == "often":
        raise TooMany(OFTEN, retry_after=TOMORROW)
    made = await find_reader(tx, new.email)
    if became != "made" or made is None:
        raise _ThereAlready
    await change_reader(tx, made.id, Change(note=new.note, tags=new.tags), "")


async def _change(tx: Tx, data: GivenChange) -> Change:
    checked = Checked()
    change = Change(
        name=None if isinstance(data.name, UnsetType) else checked.name(data.name),
        note=None if isinstance(data.note, UnsetType) else checked.note(data.note),
        tags=None if isinstance(data.tags, UnsetType) else checked.tags(data.tags),
        newsletters=None
        if isinstance(data.newsletters, UnsetType)
        else await checked.newsletters(tx, data.newsletters),
        consent=_consent(checked, data.consent),
    )
    checked.refuse()
    return change


def _consent(checked: Checked, given: GivenConsent | None) -> Consent | None:
    if given is None:
        return None
    return Consent(checked.consent_source(given.source), checked.consent_at(given.at))


async def _told(tx: Tx, reader_id: UUID) -> ReaderItem:
    found = await reader(tx, reader_id)
    if found is None:
        raise NotFound(GONE)
    return reader_item(found)


HANDLERS: tuple[Any, ...] = (
    list_newsletters,
    list_readers,
    create_reader,
    show_reader,
    update_reader,
    remove_reader,
    list_reader_sends,
)
