"""What an SMTP server's reply means, at each step of handing a mail over: the one table of its codes.

Before the final dot nothing has been handed over, and a no after it (4xx, 5xx) is a no as well. Only what is
no reply at all, or no reply that the protocol knows, leaves it open, and only after the dot.

| outcome       | when                                                                                    |
|---------------|-----------------------------------------------------------------------------------------|
| Accepted      | 2xx after the dot                                                                       |
| Throttled     | 4xx from MAIL on; earlier when it speaks of rates; a day's limit (5.4.5)                |
| NotReached    | 4xx or nonsense before MAIL; nonsense before the dot                                    |
| Misconfigured | 5xx before MAIL; a log-in wanted or refused; our address, or our right to relay, refused|
| Refused       | other 5xx; a full mailbox. `bounced`: the address is refused for good (5.1.1 and so on) |
| Unknown       | after the dot: anything else                                                            |

Sources: RFC 5321 4.2 and 4.3.2, RFC 3463 (x.y.z), RFC 4954 6 (log-in); "454 Throttling failure" is SES's.
"""

import re
from dataclasses import dataclass
from typing import Literal

from app.mail.outcome import Accepted, Misconfigured, NotReached, Outcome, Refused, Throttled, Unknown

Step = Literal["greeting", "EHLO", "STARTTLS", "AUTH", "MAIL", "RCPT", "DATA", "the end of the mail"]
END: Step = "the end of the mail"
Meaning = Literal["accepted", "throttled", "day over", "not reached", "misconfigured", "refused", "bounced"]

_KNOCKING = "greeting EHLO STARTTLS AUTH"
_ANY = f"{_KNOCKING} MAIL RCPT DATA {END}"
#: Seconds until a day's limit is tried again.
_DAY_OVER = 3600.0
_RATES = r"throttl|rate.?limit|sending rate|too (?:many|fast|much)|slow down|limit (?:was |is )?exceeded"
_RELAY = r"relay|not permitted|authenticat|spamhaus|blocklist|blacklist|blocked using"
_SIGNED = r"\bspf\b|\bdkim\b|\bdmarc\b"
_LONGEST = 400


@dataclass(frozen=True)
class _Rule:
    """`code` and `status` (RFC 3463, '' when none was given) fit whole, `words` anywhere in the text."""

    steps: str
    code: str
    means: Meaning
    status: str = ".*"
    words: str = ""


# The first that fits.
_TABLE = (
    _Rule(END, "2..", "accepted"),
    _Rule(f"RCPT {END}", "4..", "refused", status=r"4\.1\.\d+|4\.2\.[12]"),
    _Rule(f"RCPT {END}", "45.", "refused", words=r"mailbox (?:is )?full|over ?quota"),
    _Rule(_ANY, "4..", "throttled", words=_RATES),
    _Rule(_ANY, "[45]..", "day over", status=r"[45]\.4\.5"),
    _Rule(_ANY, "5..", "day over", words="daily .*(?:quota|limit)"),
    _Rule(_KNOCKING, "4..", "not reached"),
    _Rule(_ANY, "4..", "throttled"),
    _Rule(_KNOCKING, "5..", "misconfigured"),
    _Rule(_ANY, "53[0458]", "misconfigured"),
    _Rule("MAIL", "552", "refused"),
    _Rule("MAIL", "5..", "refused", status=r"5\.3\.4"),
    _Rule("MAIL", "5..", "misconfigured"),
    _Rule(f"RCPT {END}", "5..", "misconfigured", status=r"5\.1\.[78]|5\.7\.(?:9|26|27|60|509|515)"),
    _Rule(f"RCPT {END}", "5..", "bounced", status=r"5\.1\.(?:[0-6]|10)|5\.2\.1"),
    _Rule("RCPT", "5..", "misconfigured", status=r"5\.7\..*|", words=_RELAY),
    _Rule(END, "5..", "misconfigured", words=_SIGNED),
    _Rule("RCPT", "55[013]", "bounced", status=""),
    _Rule(_ANY, "5..", "refused"),
)


def meaning(step: Step, code: int, text: str) -> Outcome:
    """What the reply `code text` to `step` comes to. `text` stands in the reason, one line, cut off."""
    told = plain(text)
    status = _status(code, told)
    reason = f"the mail server answered {step} with {code} {told}".rstrip()
    for rule in _TABLE:
        if (
            step in _steps(rule)
            and re.fullmatch(rule.code, str(code))
            and re.fullmatch(rule.status, status)
            and re.search(rule.words, told, re.IGNORECASE)
        ):
            return _outcome(rule.means, reason)
    return Unknown(reason) if step == END else NotReached(reason)


def plain(text: str) -> str:
    """The server's words on one line, without what no text may hold."""
    seen = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(seen.split())[:_LONGEST]


def _steps(rule: _Rule) -> list[str]:
    named = rule.steps.replace(END, "")
    return [*named.split(), *([END] if END in rule.steps else [])]


def _status(code: int, text: str) -> str:
    """The enhanced status code at the beginning, if it goes with the code."""
    found = re.match(r"([245]\.\d{1,3}\.\d{1,3})(?!\S)", text)
    return found[1] if found and found[1][0] == str(code)[0] else ""


def _outcome(means: Meaning, reason: str) -> Outcome:
    match means:
        case "accepted":
            return Accepted(reason.partition(" with ")[2])
        case "throttled":
            return Throttled(reason)
        case "day over":
            return Throttled(reason, after=_DAY_OVER)
        case "not reached":
            return NotReached(reason)
        case "misconfigured":
            return Misconfigured(reason)
        case "refused" | "bounced":
            return Refused(reason, bounced=means == "bounced")
