"""What may be ordered to go wrong at the mailbox (`mailbox.fault.kind`), and what a caller then sees.

| kind             | kept | the caller is told                                                              |
|------------------|------|---------------------------------------------------------------------------------|
| slow             | yes  | Accepted, half the delay after the mail was kept                                |
| accept_then_drop | yes  | Unknown: the connection was lost before the answer                              |
| accept_then_500  | yes  | Unknown: a server error is no answer about the mail                             |
| rate_limited     | no   | Throttled, for the fault's delay                                                |
| refuse           | no   | Refused; one address among many: Split, and it fires when that one stands alone |
| hang             | no   | nothing, until the caller gives up                                              |
| down             | no   | NotReached, and its record cannot be read                                       |
"""

from app.mail.outcome import NotReached, Outcome, Refused, Split, Throttled, Unknown

FAULT_KINDS = ("accept_then_drop", "accept_then_500", "rate_limited", "refuse", "slow", "hang", "down")

_INSTEAD: dict[str, Outcome] = {
    "refuse": Refused("550 the mailbox does not take this mail, as a test ordered"),
    "split": Split("the mailbox does not take one of these mails, as a test ordered"),
    "down": NotReached("the mailbox is down, as a test ordered"),
    "hang": Unknown("the mailbox never answered, as a test ordered"),
}
_AFTER: dict[str, Outcome] = {
    "accept_then_drop": Unknown("the connection to the mailbox was lost before its answer"),
    "accept_then_500": Unknown("the mailbox answered 500 Internal Server Error"),
}


def instead_of_keeping(kind: str, delay: float) -> Outcome | None:
    """What the call comes to without anything being kept; None: it goes on."""
    if kind == "rate_limited":
        return Throttled("429 too many requests, as a test ordered", after=delay)
    return _INSTEAD.get(kind)


def after_keeping(kind: str) -> Outcome | None:
    """What the caller is told although everything was kept; None: that it was."""
    return _AFTER.get(kind)
