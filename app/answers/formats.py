"""How numbers, times and addresses are written for people; the filters of every template.

Times are aware instants. They are written in the zone of the page being rendered (its shell's,
or its site's; else UTC), inside `<time datetime>` so that programs read the instant itself.
"""

from collections.abc import Iterable
from contextvars import ContextVar
from datetime import UTC, datetime
from email.errors import HeaderParseError
from email.header import decode_header, make_header

from markupsafe import Markup, escape

from app.base import clock
from app.base.addresses import display
from app.base.errors import Problem
from app.base.zones import ZoneInfo

#: The IANA name of the zone in which the page being rendered writes its times.
zone: ContextVar[str] = ContextVar("zone", default="UTC")

_DIGITS = 1024


def number(value: float) -> str:
    """1846 → 1,846."""
    return f"{value:,}"


def day(value: datetime) -> Markup:
    """3 May 2026."""
    there = _there(value)
    return _time(value, f"{there.day} {there:%B %Y}")


def moment(value: datetime) -> Markup:
    """3 May 2026 at 10:14."""
    there = _there(value)
    return _time(value, f"{there.day} {there:%B %Y} at {there:%H:%M}")


def hour(value: datetime) -> Markup:
    """10:14."""
    return _time(value, f"{_there(value):%H:%M}")


def ago(value: datetime) -> Markup:
    """5 minutes ago, in 3 hours, just now; the day itself once it is two months back."""
    seconds = (clock.now() - value).total_seconds()
    if seconds > 60 * 86400:
        return day(value)
    for size, word in ((86400, "day"), (3600, "hour"), (60, "minute")):
        count = int(abs(seconds) // size)
        if count:
            words = f"{count:,} {word}{'' if count == 1 else 's'}"
            return _time(value, f"{words} ago" if seconds > 0 else f"in {words}")
    return _time(value, "just now")


def duration(seconds: float) -> str:
    """About how long: 40 seconds, 12 minutes, 3 hours, 2 days."""
    for size, word in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = round(seconds / size)
            return f"{count:,} {word}{'' if count == 1 else 's'}"
    count = max(1, round(seconds))
    return f"{count} second{'' if count == 1 else 's'}"


def span(seconds: int) -> str:
    """Exactly how long: 90 seconds, 5 minutes."""
    return plural(seconds, "second") if seconds % 60 or not seconds else plural(seconds // 60, "minute")


def said(reason: str) -> str:
    """A reason as a sentence of its own: a capital in front, a stop behind."""
    return reason[:1].upper() + reason[1:].rstrip(".") + ("." if reason else "")


def plural(count: int, one: str, many: str | None = None) -> str:
    """`count` and its noun: 1 reader, 1,846 readers."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def size(octets: int) -> str:
    """How much a file holds: 812 bytes, 42 kB, 3.1 MB."""
    if octets < _DIGITS:
        return f"{octets} bytes"
    if octets < _DIGITS**2:
        return f"{octets / _DIGITS:.0f} kB"
    return f"{octets / _DIGITS**2:.1f} MB"


def iso(value: datetime) -> str:
    """RFC 3339 in UTC, for attributes and feeds."""
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def iso_or_none(value: datetime | None) -> str | None:
    """The same of what may not have happened yet."""
    return iso(value) if value else None


def about(problems: Iterable[Problem], field: str) -> str:
    """What is wrong with one field of a form that came back, '' when nothing is."""
    return next((problem.message for problem in problems if problem.field == field), "")


def sender(header: str) -> str:
    """A From header as people read it: its encoded words (RFC 2047) as text."""
    try:
        return str(make_header(decode_header(header)))
    except (HeaderParseError, LookupError, UnicodeError):
        return header


FILTERS = {
    "about": about,
    "address": display,
    "ago": ago,
    "day": day,
    "duration": duration,
    "hour": hour,
    "iso": iso,
    "moment": moment,
    "number": number,
    "plural": plural,
    "said": said,
    "sender": sender,
    "size": size,
    "span": span,
}


def _there(value: datetime) -> datetime:
    try:
        return value.astimezone(ZoneInfo(zone.get()))
    except OverflowError:  # the last or first hours of the calendar, which some zones do not have
        return value.astimezone(UTC)


def _time(value: datetime, words: str) -> Markup:
    there = _there(value)
    title = f"{there.day} {there:%B %Y, %H:%M:%S} {escape(zone.get())}"
    # Plain formatting: nothing in it is anybody's text, and Markup's own takes five times as long.
    return Markup(f'<time datetime="{iso(value)}" title="{title}">{words}</time>')
