"""A filter in words, as a page or a segment says whom it means."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from uuid import UUID

from app.audiences.criteria import EVERYBODY, ReaderFilter

_STATES = {
    "active": "subscribed",
    "pending": "not confirmed",
    "unsubscribed": "unsubscribed",
    "suppressed": "blocked",
}
_SOURCES = {
    "import": "who came with an import",
    "api": "who came by the API",
    "studio": "who were added in the studio",
    "form": "who signed up by a form",
}
_GONE = "one that is gone"


@dataclass(frozen=True)
class Names:
    """How the account calls what a filter knows by id."""

    newsletters: Mapping[UUID, str] = field(default_factory=dict)
    plans: Mapping[UUID, str] = field(default_factory=dict)
    segments: Mapping[UUID, str] = field(default_factory=dict)
    emails: Mapping[UUID, str] = field(default_factory=dict)


def told(wanted: ReaderFilter, names: Names) -> str:
    """Goes on after “readers”: “subscribed to Tidelines, with the tag “birds””; '' for everybody."""
    if wanted == EVERYBODY:
        return ""
    return ", ".join(part for part in _parts(wanted, names) if part)


def _parts(wanted: ReaderFilter, names: Names) -> list[str]:
    plan = wanted.plan if isinstance(wanted.plan, UUID) else None
    return [
        _standing(wanted, names),
        f"with {_tags(wanted.any_tags, 'or')}" if wanted.any_tags else "",
        f"with {_tags(wanted.all_tags, 'and')}" if wanted.all_tags else "",
        f"without {_tags(wanted.no_tags, 'or')}" if wanted.no_tags else "",
        {"any": "with a plan", "none": "without a plan"}.get(str(wanted.plan), ""),
        f"with the plan {names.plans.get(plan, _GONE)}" if plan else "",
        _SOURCES.get(wanted.source or "", ""),
        f"by the form “{wanted.form}”" if wanted.form else "",
        f"who joined on {_day(wanted.joined_from)} or later" if wanted.joined_from else "",
        f"who joined on {_day(wanted.joined_until)} or before" if wanted.joined_until else "",
        f"in the segment {names.segments.get(wanted.segment, _GONE)}" if wanted.segment else "",
        f"not in the segment {names.segments.get(wanted.outside, _GONE)}" if wanted.outside else "",
        f"who got the email “{names.emails.get(wanted.got, _GONE)}”" if wanted.got else "",
        f"found for “{wanted.search}”" if wanted.search else "",
    ]


def _standing(wanted: ReaderFilter, names: Names) -> str:
    state = _STATES.get(wanted.state or "", "")
    if wanted.newsletter is None:
        return state
    name = names.newsletters.get(wanted.newsletter, _GONE)
    if wanted.state == "suppressed":
        return f"blocked, with a subscription to {name}"
    if not state:
        return f"who have or had a subscription to {name}"
    return f"{state} {'from' if wanted.state == 'unsubscribed' else 'to'} {name}".replace(
        "not confirmed to", "who have not confirmed"
    )


def _tags(tags: tuple[str, ...], between: str) -> str:
    words = f" {between} ".join(f"“{tag}”" for tag in tags)
    return f"the tag {words}" if len(tags) == 1 else f"the tags {words}"


def _day(day: date | None) -> str:
    return f"{day.day} {day:%B %Y}" if day else ""
