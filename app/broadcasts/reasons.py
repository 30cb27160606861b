"""Why somebody did, or did not, get an email: the answer first, then what led to it, in time."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from app.base.addresses import AddressError, canonical
from app.base.database import Tx
from app.broadcasts.queries import BroadcastView
from app.ledger import SendView, sends_of_mailing
from app.readers import ConsentEntry, ReaderView, consent_history, erased_when, find_reader
from app.suppressions import BlockChange, block_history, suppression_of

Verdict = Literal[
    "sent", "sending", "waiting", "unknown", "failed", "skipped", "not_in_audience", "never_known", "erased"
]
#: Why somebody was not in an audience. `unread`: it is still being read; `outside`: of the segment.
Cause = Literal["", "unread", "left", "late", "unconfirmed", "blocked", "outside", "never"]

_ACTS = {
    "asked": "Asked to subscribe",
    "subscribed": "Subscribed",
    "confirmed": "Confirmed",
    "unsubscribed": "Unsubscribed",
}
_TONES = {"subscribed": "ok", "confirmed": "ok", "unsubscribed": "warn"}
_SOURCES = {
    "import": "with an import",
    "api": "by the API",
    "studio": "added in the studio",
    "form": "by a form",
}
# A call's time is the real clock's; everything else here is that of people, which testing mode may move.
_AHEAD = "select ahead from clock"


@dataclass(frozen=True)
class Event:
    """One thing that happened; `tone` is '', ok, warn or bad. `at` None: it has not happened yet."""

    at: datetime | None
    text: str
    detail: str = ""
    tone: str = ""


@dataclass(frozen=True)
class Answer:
    """The verdict on one address, reached `at`; `left_at`: when they unsubscribed last, if they did.

    `cause` says why they were not in the audience; `blocked` is why the address is blocked now, in words.
    """

    verdict: Verdict
    who: str
    reader_id: UUID | None
    reason: str
    at: datetime | None
    left_at: datetime | None
    events: tuple[Event, ...]
    cause: Cause = ""
    blocked: str = ""


async def why(tx: Tx, view: BroadcastView, given: str) -> tuple[Answer | None, str]:
    """The answer for an address as typed, or None and what is wrong with the address."""
    if not given:
        return None, ""
    try:
        address = canonical(given)
    except AddressError as error:
        return None, str(error)
    found = await find_reader(tx, address)
    blocks = await block_history(tx, address)
    if found is None:
        return await _stranger(tx, address, given, blocks), ""
    copy = await _copy(tx, view.mailing.id, found.id)
    history = await consent_history(tx, found.id, view.newsletter_id)
    ahead = await tx.value(_AHEAD)
    events = [*_of_reader(found, history), *_of_blocks(blocks), *_of_mailing(view, copy, ahead)]
    dated = [event for event in events if event.at is not None]
    told = sorted(dated, key=lambda event: event.at or view.pressed_at)
    told += [event for event in events if event.at is None]
    return await _answer(tx, view, found, copy, history, tuple(told)), ""


async def _stranger(tx: Tx, address: str, given: str, blocks: list[BlockChange]) -> Answer:
    erased_at = await erased_when(tx, address)
    blocked = await suppression_of(tx, address)
    words = blocked.words if blocked else ""
    events = _of_blocks(blocks)
    if erased_at:
        events.append(
            Event(erased_at, "The reader was erased", "on request; what was kept of them is a hash")
        )
    told = tuple(sorted(events, key=lambda event: event.at or erased_at or event.at))  # type: ignore[arg-type]
    verdict: Verdict = "erased" if erased_at else "never_known"
    return Answer(verdict, given, None, "", erased_at, None, told, blocked=words)


async def _copy(tx: Tx, mailing_id: UUID, reader_id: UUID) -> SendView | None:
    """One reader's copy: the first of the page that begins with them."""
    following = UUID(int=reader_id.int + 1)
    found = await sends_of_mailing(tx, mailing_id, before=following, most=1)
    return found[0] if found and found[0].reader_id == reader_id else None


def _of_reader(found: ReaderView, history: list[ConsentEntry]) -> list[Event]:
    joined = Event(found.joined_at, "Joined", _SOURCES[found.source])
    return [joined, *(Event(one.at, _ACTS[one.act], one.how, _TONES.get(one.act, "")) for one in history)]


def _of_blocks(blocks: list[BlockChange]) -> list[Event]:
    texts = {"blocked": ("The address was blocked", "bad"), "lifted": ("The block was lifted", "ok")}
    return [
        Event(one.at, texts[one.act][0], ", ".join(filter(None, (one.words, one.detail))), texts[one.act][1])
        for one in blocks
    ]


def _of_mailing(view: BroadcastView, copy: SendView | None, ahead: timedelta) -> list[Event]:
    mailing = view.mailing
    to = view.newsletter_name if view.segment_name is None else f"{view.newsletter_name}, {view.segment_name}"
    events = [Event(view.pressed_at, f"{view.pressed_by_name} pressed send", f"to {to}")]
    if copy is None:
        if mailing.built_at:
            events.append(Event(mailing.built_at, "The audience was read; they were not in it", "", "warn"))
        return events
    if mailing.built_at:
        events.append(Event(mailing.built_at, "The audience was read; they were in it"))
    if copy.called_at:
        called = copy.called_at + ahead
        at = min(called, copy.settled_at) if copy.settled_at else called
        events.append(Event(at, "Their copy was handed over", f"batch {copy.batch_id}"))
    return [*events, _outcome(copy)]


def _outcome(copy: SendView) -> Event:
    match copy.state:
        case "sent":
            return Event(copy.settled_at, "The provider accepted it", "", "ok")
        case "failed":
            return Event(copy.settled_at, "The provider refused it", copy.reason or "", "bad")
        case "skipped":
            return Event(copy.settled_at, "Left out on their turn", copy.reason or "", "warn")
        case "unknown":
            return Event(None, "No answer came", copy.reason or "", "warn")
        case "sending":
            return Event(None, "It is being handed over right now; it may have arrived already")
        case _:
            return Event(None, "Their turn is still to come")


async def _answer(
    tx: Tx,
    view: BroadcastView,
    found: ReaderView,
    copy: SendView | None,
    history: list[ConsentEntry],
    events: tuple[Event, ...],
) -> Answer:
    who = found.name or found.address
    left_at = max((one.at for one in history if one.act == "unsubscribed"), default=None)
    blocked = await suppression_of(tx, found.email)
    words = blocked.words if blocked else ""
    if copy is None:
        stood = bool(blocked and view.mailing.built_at and blocked.created_at <= view.mailing.built_at)
        cause = _cause(view, found, history, blocked=stood)
        return Answer("not_in_audience", who, found.id, "", None, left_at, events, cause, words)
    verdicts: dict[str, Verdict] = {
        "sent": "sent",
        "sending": "sending",
        "unknown": "unknown",
        "failed": "failed",
        "skipped": "skipped",
    }
    verdict = verdicts.get(copy.state, "waiting")
    return Answer(verdict, who, found.id, copy.reason or "", copy.settled_at, left_at, events, blocked=words)


def _cause(view: BroadcastView, found: ReaderView, history: list[ConsentEntry], *, blocked: bool) -> Cause:
    """As far as the books know: what stood when the audience was read."""
    read_at = view.mailing.built_at
    if read_at is None:
        return "unread"
    if blocked:
        return "blocked"
    stood = [one.act for one in history if one.at <= read_at]
    mine = [one.state for one in found.subscriptions if one.newsletter_id == view.newsletter_id]
    if "unsubscribed" in stood[-1:]:
        return "left"
    if mine == ["pending"] or stood[-1:] == ["asked"]:
        return "unconfirmed"
    if any(one.at > view.mailing.starts_at for one in history) and not {"subscribed", "confirmed"} & set(
        stood
    ):
        return "late"
    if not mine:
        return "never"
    return "outside" if view.segment_name is not None else "late"
