"""What the API says of a broadcast and its sends."""

from datetime import datetime
from typing import Literal

import msgspec
from msgspec import Struct

from app.broadcasts.copies import Copy
from app.broadcasts.queries import BroadcastView
from app.mail import Refusal


class BroadcastItem(Struct):
    """An email. `audience` is the sum of `sent`, `failed`, `skipped`, `unknown` and `to_go`, at every moment.

    `state`: scheduled, building, sending, paused, finished or cancelled; `reason` says why it stands.
    `left_out` counts by cause who was not in the audience. `needs_decision`: some unknown sends can only be
    settled by a person. `undone`: cancelled before anybody was mailed. `balanced`: whether the audit found
    what the provider has; null before it.
    """

    id: str
    state: str
    reason: str | None
    audience: int
    sent: int
    failed: int
    skipped: int
    unknown: int
    to_go: int
    newsletter: str
    release: int | None
    post: str
    title: str
    subject: str
    preheader: str
    again: bool
    segment: str | None
    left_out: dict[str, int]
    pressed_by: str
    created_at: datetime
    starts_at: datetime
    held: bool
    needs_decision: bool
    possible_doubles: int
    undone: bool
    built_at: datetime | None
    finished_at: datetime | None
    balanced: bool | None


class RetriedBroadcast(BroadcastItem):
    """An email after its failed sends were planned again: `retried` of them."""

    retried: int


class AddedBroadcast(BroadcastItem):
    """An email after missing readers were added: `added` of them."""

    added: int


class ResolvedBroadcast(BroadcastItem):
    """An email after a person settled unknown sends: `resolved` of them."""

    resolved: int


class BroadcastPage(Struct):
    """Emails, newest first, and the cursor of the next page."""

    items: list[BroadcastItem]
    next: str | None


class SendTimes(Struct):
    """When a send was handed over, and when it was known what became of it; null: not yet."""

    handed_over: datetime | None
    settled: datetime | None


class SendItem(Struct):
    """One reader's copy. `email` null: the reader is erased.

    `state`: planned, sending, sent, unknown, failed or skipped, for `reason`; `batch` is the call it went by.
    """

    reader: str
    email: str | None
    state: str
    reason: str | None
    batch: str | None
    times: SendTimes


class SendPage(Struct):
    """Sends, newest reader first, and the cursor of the next page."""

    items: list[SendItem]
    next: str | None


class Decision(Struct, forbid_unknown_fields=True):
    """What a person says of unknown sends: they arrived (`sent`), or are to be sent again (`planned`)."""

    as_: Literal["sent", "planned"] = msgspec.field(name="as")
    readers: list[str] | Literal["all"]


def broadcast_item(view: BroadcastView, refusal: Refusal | None) -> BroadcastItem:
    """The representation of a broadcast; `refusal`: the provider refuses us."""
    mailing, figures = view.mailing, view.mailing.figures
    refused = refusal and mailing.state == "sending" and figures.to_go and not mailing.held
    waits = refusal.reason if refusal and refused else mailing.put_off
    return BroadcastItem(
        id=str(view.id),
        state=mailing.state,
        reason=mailing.reason or waits,
        audience=figures.audience,
        sent=figures.sent,
        failed=figures.failed,
        skipped=figures.skipped,
        unknown=figures.unknown,
        to_go=figures.to_go,
        newsletter=view.newsletter_slug,
        release=view.release,
        post=str(view.post_id),
        title=view.title,
        subject=view.subject,
        preheader=view.preheader,
        again=view.again,
        segment=view.segment_name,
        left_out=view.left_out,
        pressed_by=view.pressed_by_name,
        created_at=view.pressed_at,
        starts_at=mailing.starts_at,
        held=mailing.held,
        needs_decision=mailing.undecided and figures.unknown > 0,
        possible_doubles=mailing.doubles,
        undone=mailing.undone,
        built_at=mailing.built_at,
        finished_at=mailing.finished_at,
        balanced=None if mailing.audit is None else bool(mailing.audit.get("balanced")),
    )


def send_item(copy: Copy) -> SendItem:
    """The representation of a copy."""
    return SendItem(
        reader=str(copy.reader_id),
        email=copy.email,
        state=copy.state,
        reason=copy.reason,
        batch=str(copy.batch_id) if copy.batch_id else None,
        times=SendTimes(copy.called_at, copy.settled_at),
    )
