"""The states of a send, a mailing and a batch, and the legal moves of the first two."""

from enum import StrEnum


class SendState(StrEnum):
    """Where one reader's copy is."""

    PLANNED = "planned"
    SENDING = "sending"
    SENT = "sent"
    UNKNOWN = "unknown"
    FAILED = "failed"
    SKIPPED = "skipped"


class MailingState(StrEnum):
    """Where a mailing is."""

    BUILDING = "building"
    SENDING = "sending"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class BatchState(StrEnum):
    """Where one call is."""

    CALLING = "calling"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    RESOLVED = "resolved"


SEND_MOVES: dict[SendState, frozenset[SendState]] = {
    SendState.PLANNED: frozenset({SendState.SENDING, SendState.SENT, SendState.SKIPPED}),
    SendState.SENDING: frozenset({SendState.SENT, SendState.FAILED, SendState.PLANNED, SendState.UNKNOWN}),
    SendState.UNKNOWN: frozenset({SendState.SENT, SendState.PLANNED, SendState.SKIPPED}),
    SendState.FAILED: frozenset({SendState.SENT, SendState.PLANNED}),
    SendState.SKIPPED: frozenset({SendState.SENT, SendState.PLANNED}),
    SendState.SENT: frozenset(),
}

MAILING_MOVES: dict[MailingState, frozenset[MailingState]] = {
    MailingState.BUILDING: frozenset({MailingState.SENDING, MailingState.PAUSED, MailingState.CANCELLED}),
    MailingState.SENDING: frozenset({MailingState.PAUSED, MailingState.CANCELLED, MailingState.FINISHED}),
    MailingState.PAUSED: frozenset({MailingState.BUILDING, MailingState.SENDING, MailingState.CANCELLED}),
    MailingState.FINISHED: frozenset({MailingState.SENDING}),
    MailingState.CANCELLED: frozenset(),
}
