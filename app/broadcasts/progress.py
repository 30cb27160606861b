"""How far a broadcast has come: the one reading that its page, the home page and the stream show.

The parts are the ledger's figures and add up to the audience at every moment (L7). Nothing here is
estimated but the time left, which follows from what was accepted in the last ten seconds.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import ceil
from uuid import UUID

from app.base.database import Tx
from app.base.errors import NotFound
from app.base.settings import settings
from app.broadcasts.queries import BroadcastView, broadcast_view, broadcasts
from app.broadcasts.stages import Stage, stage_of
from app.ledger import MailingView
from app.mail import Refusal, standing_refusal

_NOW = "select godwit_now() as now, (extract(epoch from clock_timestamp()) * 1000)::bigint as version"


@dataclass(frozen=True)
class Unsure:
    """Copies handed over without an answer. `asked_at` is when we ask for the record; None: just now.

    `undecided`: of some there is no record to ask; a person has to say.
    """

    count: int
    since: datetime | None
    asked_at: datetime | None
    undecided: bool


@dataclass(frozen=True)
class Balance:
    """What the audit found: whether the books agree, and what each part of it says."""

    at: datetime
    balanced: bool
    figures_agree: bool
    all_settled: bool
    lacking: int | None
    readers_lacking: tuple[str, ...]


@dataclass(frozen=True)
class Progress:
    """One reading. `version` only grows; `rate` and `limit` are copies a second (limit 0: none is set).

    `sending` of `to_go` are being handed over right now. `whole`: the audience has been read. `starts_in` is
    seconds until a scheduled one starts. `doubles` may have got it twice.
    """

    broadcast_id: UUID
    version: int
    title: str
    state: str
    stage: Stage
    reason: str | None
    audience: int
    sent: int
    skipped: int
    failed: int
    unknown: int
    to_go: int
    sending: int
    doubles: int
    whole: bool
    held: bool
    starts_in: int
    rate: float
    limit: float
    done_at: datetime | None
    seconds_left: float | None
    unsure: Unsure | None
    balance: Balance | None
    provider: str
    refusal: Refusal | None
    put_off: str | None

    @property
    def live(self) -> bool:
        """Whether more will come: until it is over, its books are compared, its last copies settled."""
        match self.state:
            case "finished":
                return self.balance is None
            case "cancelled":
                return self.to_go + self.unknown > 0
            case _:
                return True

    @property
    def acts(self) -> tuple[str, ...]:
        """What a person may do to it now, in the order in which it is offered."""
        found = {
            "scheduled": ("undo",),
            "building": ("pause", "cancel"),
            "sending": ("pause", "cancel"),
            "paused": ("resume", "cancel"),
        }.get(self.state, ())
        if self.whole and not self.to_go and self.state == "sending":
            found = ()  # nothing is left to pause, and nobody to leave out
        if self.refusal and self.to_go and self.state in ("building", "sending", "paused"):
            found = ("probe", *found)
        if self.failed and self.state in ("building", "sending", "paused", "finished"):
            found += ("retry",)
        if self.whole and self.state in ("sending", "paused", "finished"):
            found += ("missing",)
        return found

    @property
    def settled(self) -> int:
        """Those of the audience whose turn is over."""
        return self.audience - self.to_go

    def parts(self, sends_url: str) -> tuple[tuple[str, str, int, str], ...]:
        """The parts of the bar, each with the list it opens: (key, words, how many, address)."""
        counted = (
            ("sent", "sent", self.sent),
            ("skipped", "not mailed", self.skipped),
            ("failed", "failed", self.failed),
            ("unknown", "unsure", self.unknown),
            ("waiting", "waiting", self.to_go),
        )
        return tuple((key, words, count, f"{sends_url}?state={key}") for key, words, count in counted)

    def shows_the_same(self, other: "Progress | None") -> bool:
        """Whether a page that shows `other` need not be repainted."""
        return other is not None and replace(self, version=other.version) == other


@dataclass(frozen=True)
class BroadcastLine:
    """A broadcast and how far it is, in a list."""

    view: BroadcastView
    progress: Progress


async def read_broadcasts(
    tx: Tx, *, before: tuple[datetime, UUID] | None = None, most: int = 50
) -> list[BroadcastLine]:
    """A page of broadcasts as `broadcasts` answers it, each with how far it is now."""
    found = await broadcasts(tx, before=before, most=most)
    now, version = await _instant(tx)
    refusal = await standing_refusal(tx)
    return [BroadcastLine(view, progress_of(view, now, version, refusal)) for view in found]


async def read_broadcast(tx: Tx, broadcast_id: UUID) -> tuple[BroadcastView, Progress]:
    """A broadcast and how far it is now, by the database's clock. Raises NotFound."""
    view = await broadcast_view(tx, broadcast_id)
    if view is None:
        raise NotFound("There is no such email in this publication.")
    return view, progress_of(view, *await _instant(tx), await standing_refusal(tx))


def progress_of(
    view: BroadcastView, now: datetime, version: int = 0, refusal: Refusal | None = None
) -> Progress:
    """The reading of a broadcast as it stands at `now`; `refusal`: the provider refuses us."""
    mailing, figures = view.mailing, view.mailing.figures
    rate = _rate(mailing, now)
    scheduled = mailing.state == "scheduled"
    left = _left(mailing, rate)
    return Progress(
        broadcast_id=view.id,
        version=version,
        title=view.title,
        state=mailing.state,
        stage=stage_of(mailing, now, refusal),
        reason=mailing.reason,
        audience=figures.audience,
        sent=figures.sent,
        skipped=figures.skipped,
        failed=figures.failed,
        unknown=figures.unknown,
        to_go=figures.to_go,
        sending=figures.sending,
        doubles=mailing.doubles,
        whole=mailing.built_at is not None,
        held=mailing.held,
        starts_in=max(0, ceil((mailing.starts_at - now).total_seconds())) if scheduled else 0,
        rate=rate,
        limit=settings().sending.rate,
        done_at=None if left is None else now + timedelta(seconds=left),
        seconds_left=left,
        unsure=_unsure(mailing, now),
        balance=_balance(mailing),
        provider=settings().mail.provider,
        refusal=replace(refusal, seconds=0) if refusal else None,
        put_off=mailing.put_off,
    )


async def _instant(tx: Tx) -> tuple[datetime, int]:
    row = await tx.row(_NOW)
    assert row is not None
    return row.now, row.version


def _rate(mailing: MailingView, now: datetime) -> float:
    """Accepted a second: lately, or since the start while that is younger than the ten seconds looked at."""
    running = (now - max(mailing.created_at, mailing.starts_at)).total_seconds()
    if 0 < running < 10:
        return mailing.per_second * 10 / max(running, 1)
    return mailing.per_second


def _left(mailing: MailingView, rate: float) -> float | None:
    """Seconds, at the rate seen, but no faster than the limit lets it go: the first seconds are a burst."""
    if not rate or mailing.state != "sending" or not mailing.figures.to_go:
        return None
    limit = settings().sending.rate
    return mailing.figures.to_go / (min(rate, limit) if limit else rate)


def _unsure(mailing: MailingView, now: datetime) -> Unsure | None:
    if not mailing.figures.unknown:
        return None
    due = mailing.look_up_at
    asked_at = due if due and due > now else None
    return Unsure(mailing.figures.unknown, mailing.unknown_since, asked_at, mailing.undecided)


def _balance(mailing: MailingView) -> Balance | None:
    found = mailing.audit
    if found is None or mailing.audited_at is None:
        return None
    return Balance(
        at=mailing.audited_at,
        balanced=bool(found.get("balanced")),
        figures_agree=bool(found.get("figures_agree")),
        all_settled=bool(found.get("all_settled")),
        lacking=found.get("provider_lacks"),
        readers_lacking=tuple(found.get("readers_lacking", ())),
    )
