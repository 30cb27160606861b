"""The one table of SMTP's codes, read with what real servers say."""

from typing import Any

import pytest

from app.mail import Accepted, Misconfigured, NotReached, Refused, Throttled, Unknown
from app.mail.smtp_replies import END, Step, meaning

BOUNCED, REFUSED = {"bounced": True}, {"bounced": False}


@pytest.mark.parametrize(
    ("step", "code", "text", "outcome", "more"),
    [
        (END, 250, "2.0.0 Ok: queued as 4F2", Accepted, {"reference": "250 2.0.0 Ok: queued as 4F2"}),
        (END, 250, "", Accepted, {}),
        # Rates: SES, Gmail, Postfix, Exchange.
        (END, 454, "Throttling failure: Maximum sending rate exceeded.", Throttled, {"after": None}),
        ("AUTH", 454, "4.7.0 Too many login attempts, please try again later.", Throttled, {}),
        ("greeting", 421, "4.7.28 Our system has detected an unusual rate, rate limited", Throttled, {}),
        ("MAIL", 450, "4.7.1 Error: too much mail from 192.0.2.1", Throttled, {}),
        ("MAIL", 550, "5.4.5 Daily user sending quota exceeded.", Throttled, {"after": 3600.0}),
        (END, 554, "Message rejected: daily sending limit reached", Throttled, {"after": 3600.0}),
        # Not now, whoever it is for.
        ("RCPT", 450, "4.7.1 Greylisted, see https://postgrey.example", Throttled, {}),
        ("RCPT", 421, "4.3.2 Shutting down", Throttled, {}),
        ("MAIL", 452, "4.3.1 Insufficient system storage", Throttled, {}),
        (END, 451, "4.3.0 Queue file write error", Throttled, {}),
        # Nobody to talk to.
        ("greeting", 421, "Service not available", NotReached, {}),
        ("EHLO", 421, "Service not available", NotReached, {}),
        ("STARTTLS", 454, "4.7.0 TLS not available due to local problem", NotReached, {}),
        ("AUTH", 454, "4.7.0 Temporary authentication failure", NotReached, {}),
        ("MAIL", 299, "what", NotReached, {}),
        # Ours to repair.
        ("greeting", 554, "5.7.1 Blocked", Misconfigured, {}),
        ("STARTTLS", 502, "Not implemented", Misconfigured, {}),
        ("AUTH", 535, "5.7.8 Authentication credentials invalid", Misconfigured, {}),
        ("AUTH", 534, "5.7.9 Application-specific password required", Misconfigured, {}),
        ("MAIL", 530, "5.7.0 Authentication Required", Misconfigured, {}),
        ("MAIL", 553, "5.7.1 Sender address rejected: not owned by user ana", Misconfigured, {}),
        ("RCPT", 554, "5.7.1 <a@b.example>: Relay access denied", Misconfigured, {}),
        ("RCPT", 550, "relay not permitted", Misconfigured, {}),
        ("RCPT", 554, "5.7.1 Service unavailable; blocked using zen.spamhaus.org", Misconfigured, {}),
        (END, 550, "5.7.26 This mail is unauthenticated", Misconfigured, {}),
        (END, 550, "5.7.515 Access denied, sending domain does not meet the level", Misconfigured, {}),
        (END, 554, "Email address is not verified: DKIM", Misconfigured, {}),
        # The address, for good.
        ("RCPT", 550, "5.1.1 The email account that you tried to reach does not exist.", Refused, BOUNCED),
        ("RCPT", 550, "No such user here", Refused, BOUNCED),
        ("RCPT", 553, "5.1.3 Invalid address", Refused, BOUNCED),
        ("RCPT", 550, "5.2.1 The account is disabled", Refused, BOUNCED),
        ("RCPT", 550, "5.1.10 RecipientNotFound", Refused, BOUNCED),
        (END, 550, "5.1.1 User unknown", Refused, BOUNCED),
        # These bytes, or this mailbox for now.
        ("RCPT", 452, "4.2.2 The email account is over quota", Refused, REFUSED),
        ("RCPT", 450, "4.2.1 The user is receiving mail at too fast a rate", Refused, REFUSED),
        ("RCPT", 552, "5.2.2 Mailbox full", Refused, REFUSED),
        ("RCPT", 550, "5.7.1 We do not want this", Refused, REFUSED),
        ("MAIL", 552, "5.3.4 Message size exceeds fixed limit", Refused, REFUSED),
        (END, 552, "5.3.4 Message size exceeds limit", Refused, REFUSED),
        (END, 554, "5.7.1 Spam message rejected", Refused, REFUSED),
        (END, 550, "rejected", Refused, REFUSED),
        # After the dot, what the protocol does not know.
        (END, 354, "Go on", Unknown, {}),
        (END, -1, "Malformed", Unknown, {}),
        (END, 600, "?", Unknown, {}),
        (END, 199, "?", Unknown, {}),
    ],
)
def test_what_servers_say(step: Step, code: int, text: str, outcome: type, more: dict[str, Any]) -> None:
    said = meaning(step, code, text)
    assert isinstance(said, outcome), said
    for name, value in more.items():
        assert getattr(said, name) == value
    if not isinstance(said, Accepted):
        assert said.reason == f"the mail server answered {step} with {code} {text}"


def test_a_reason_is_one_line_that_can_be_kept() -> None:
    said = meaning("RCPT", 550, "5.1.1 No\r\n such\x00 user\udcff " + "x" * 5000)
    assert isinstance(said, Refused)
    assert said.reason.isprintable()
    assert len(said.reason) < 500


def test_every_code_at_every_step_means_something_and_only_the_dot_leaves_a_doubt() -> None:
    steps: tuple[Step, ...] = ("greeting", "EHLO", "STARTTLS", "AUTH", "MAIL", "RCPT", "DATA")
    for code in range(-1, 1000):
        assert not any(isinstance(meaning(step, code, ""), Unknown | Accepted) for step in steps)
        known = 200 <= code <= 299 or 400 <= code <= 599
        assert isinstance(meaning(END, code, ""), Unknown) is not known
