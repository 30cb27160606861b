"""Why somebody did, or did not, get an email: the answer first, then what led to it, in time."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from app.base.addresses import AddressError, canonical
from app.base.database import Tx
from app.broadcasts.queries import BroadcastView
from app.ledger import SendView, sends_of_mailing
from app.readers import consent_history, find_reader
from app.suppressions import suppression_of

Verdict = Literal[
    "sent", "waiting", "unknown", "failed", "skipped", "not_in_audience", "never_known", "erased"
]

_ACTS = {"subscribed": "Subscribed", "confirmed": "Confirmed", "unsubscribed": "Unsubscribed"}
_TONES = {"subscribed": "ok", "confirmed": "ok", "unsubscribed": "warn"}


@dataclass(frozen=True)
class Event:
    """One thing that happened; `tone` is '', ok, warn or bad."""

    at: datetime | None
    text: str
    detail: str = ""
    tone: str = ""


@dataclass(frozen=True)
class Answer:
    """The verdict on one address, reached `at`; `left_at`: when they unsubscribed last, if they did."""

    verdict: Verdict
    who: str
    reader_id: UUID | None
    reason: str
    at: datetime | None
    left_at: datetime | None
    events: tuple[Event, ...]


async def why(tx: Tx, view: BroadcastView, given: str) -> tuple[Answer | None, str]:
    """The answer for an address as typed, or None and what is wrong with the address."""
    if not given:
        return None, ""
    try:
        address = canonical(given)
    except AddressError as error:
        return None, str(error)
    found = await find_reader(tx, address)
    if found is None:
        return await _stranger(tx, address, given), ""
    copy = await _copy(tx, view.mailing.id, found.id)
    history = await consent_history(tx, found.id, view.newsletter_id)
    left_at = max((one.at for one in history if one.act == "unsubscribed"), default=None)
    blocked = await suppression_of(tx, address)
    events = [Event(one.at, _ACTS[one.act], one.how, _TONES[one.act]) for one in history]
    if blocked:
        events.append(Event(blocked.created_at, "The address was blocked", blocked.words, "bad"))
    events += _of_mailing(view, copy)
    # What has no time yet is what stands now: it comes last.
    told = sorted(events, key=lambda event: (event.at is None, event.at or view.pressed_at))
    return _answer(found.name or found.address, found.id, copy, left_at, tuple(told)), ""


async def _stranger(tx: Tx, address: str, given: str) -> Answer:
    blocked = await suppression_of(tx, address)
    if blocked and blocked.reason == "erased":
        return Answer("erased", given, None, "", blocked.created_at, None, ())
    return Answer("never_known", given, None, "", None, None, ())


async def _copy(tx: Tx, mailing_id: UUID, reader_id: UUID) -> SendView | None:
    """One reader's copy: the first of the page that begins with them."""
    following = UUID(int=reader_id.int + 1)
    found = await sends_of_mailing(tx, mailing_id, before=following, most=1)
    return found[0] if found and found[0].reader_id == reader_id else None


def _of_mailing(view: BroadcastView, copy: SendView | None) -> list[Event]:
    mailing = view.mailing
    events = [Event(view.pressed_at, f"{view.pressed_by_name} pressed send", f"to {view.newsletter_name}")]
    if copy is None:
        if mailing.built_at:
            events.append(Event(mailing.built_at, "The audience was read; they were not in it", "", "warn"))
        return events
    if mailing.built_at:
        events.append(Event(mailing.built_at, "The audience was read; they were in it"))
    if copy.called_at:
        events.append(Event(copy.called_at, "Their copy was handed over", f"batch {copy.batch_id}"))
    match copy.state:
        case "sent":
            events.append(Event(copy.settled_at, "The provider accepted it", "", "ok"))
        case "failed":
            events.append(Event(copy.settled_at, "The provider refused it", copy.reason or "", "bad"))
        case "skipped":
            events.append(Event(copy.settled_at, "Left out on their turn", copy.reason or "", "warn"))
        case "unknown":
            events.append(Event(None, "No answer came", copy.reason or "", "warn"))
        case _:
            events.append(Event(None, "Their turn is still to come"))
    return events


def _answer(
    who: str, reader_id: UUID, copy: SendView | None, left_at: datetime | None, events: tuple[Event, ...]
) -> Answer:
    if copy is None:
        return Answer("not_in_audience", who, reader_id, "", None, left_at, events)
    verdicts: dict[str, Verdict] = {
        "sent": "sent",
        "unknown": "unknown",
        "failed": "failed",
        "skipped": "skipped",
    }
    verdict = verdicts.get(copy.state, "waiting")
    return Answer(verdict, who, reader_id, copy.reason or "", copy.settled_at, left_at, events)
