"""The stages of an email as its page names them: its state, and what keeps it."""

from datetime import datetime, timedelta
from typing import Literal

from app.ledger import MailingView
from app.mail import Refusal

Stage = Literal[
    "scheduled",
    "reading",
    "going",
    "held",
    "refused",
    "stalled",
    "asking",
    "deciding",
    "closing",
    "paused",
    "undone",
    "cancelled",
    "nobody",
    "everybody",
    "most",
]

#: Seconds without one accepted copy after which a page says so.
SILENCE = timedelta(seconds=15)


def stage_of(mailing: MailingView, now: datetime, refusal: Refusal | None) -> Stage:
    """Where the mailing stands at `now`; `refusal`: the provider refuses us."""
    figures = mailing.figures
    match mailing.state:
        case "scheduled":
            return "scheduled"
        case "building":
            return "reading"
        case "paused":
            return "paused"
        case "cancelled":
            return "undone" if mailing.undone else "cancelled"
        case "finished" if figures.audience == 0:
            return "nobody"
        case "finished":
            return "everybody" if figures.sent == figures.audience else "most"
    if figures.to_go == 0:
        if figures.unknown and mailing.undecided:
            return "deciding"
        return "asking" if figures.unknown else "closing"
    if mailing.held and figures.sending == 0:
        return "held"
    if refusal and figures.sending == 0:
        return "refused"
    began = max(mailing.built_at or mailing.created_at, mailing.going_since or mailing.created_at)
    return "stalled" if mailing.per_second == 0 and now - began > SILENCE else "going"
