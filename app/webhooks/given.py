"""What may be given for a webhook, whoever gives it: the form of its address, its events, its description."""

from collections.abc import Sequence

from app.base.errors import Problem
from app.webhooks.catalogue import ALL, CHOOSABLE

_DESCRIPTION = 200
_URL = 2000
#: Invisible, and part of how some languages and emoji are written.
_JOINERS: dict[int, str | None] = dict.fromkeys((0x200C, 0x200D))


def problems_of(url: str | None, events: Sequence[str] | None, description: str | None) -> list[Problem]:
    """Everything that is wrong with what is given; None: it is not given."""
    return [
        *(_url_problems(url) if url is not None else ()),
        *(_events_problems(events) if events is not None else ()),
        *(_description_problems(description) if description is not None else ()),
    ]


def chosen_once(events: Sequence[str]) -> list[str]:
    """Each type once, in their order; all of them is all that is said."""
    return [ALL] if ALL in events else [kind for kind in CHOOSABLE if kind in events]


def _url_problems(url: str) -> list[Problem]:
    if not 1 <= len(url) <= _URL or "\0" in url:
        return [Problem("url", f"Give the address to call, at most {_URL} characters.")]
    return []


def _description_problems(description: str) -> list[Problem]:
    if len(description) > _DESCRIPTION:
        return [Problem("description", f"A description has at most {_DESCRIPTION} characters.")]
    if not description.translate(_JOINERS).isprintable():
        return [Problem("description", "A description is one line, without invisible characters.")]
    return []


def _events_problems(events: Sequence[str]) -> list[Problem]:
    if not events:
        return [Problem("events", "Choose at least one event, or * for all of them.")]
    unknown = [event for event in events if event != ALL and event not in CHOOSABLE]
    if unknown:
        told = ", ".join(unknown)[:200].replace("\0", "")
        return [
            Problem("events", f"There is no event {told}. There are {', '.join(CHOOSABLE)}, and * for all.")
        ]
    return []
