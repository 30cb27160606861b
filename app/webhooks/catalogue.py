"""Which events there are, in the words of creators and of those who receive them (contract.md)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class EventKind:
    """One type of event: when it happens, what its `data` holds, and how it is told once it `happened`."""

    type: str
    when: str
    data: str
    happened: str


@dataclass(frozen=True)
class EventGroup:
    """Types that belong together, under one heading. `personal`: they tell readers' addresses."""

    name: str
    kinds: tuple[EventKind, ...]
    personal: bool = False


_READER = "reader, as GET /readers/{id} answers it, and newsletters: the slugs that it is about"
_EMAIL = "broadcast, as GET /broadcasts/{id} answers it"
_PLAN = "subscription: id, reader, plan, plan_name, source, starts_at, ends_at and live"

GROUPS: tuple[EventGroup, ...] = (
    EventGroup(
        "Site",
        (
            EventKind(
                "release.published",
                "a new version of the site is live, after each publication, restoration and removal",
                "release (its number), url, and changes: post, slug and action of each",
                "A new version is live",
            ),
            EventKind(
                "post.published",
                "a post comes to the site",
                "post, with its text as published",
                "A post came to the site",
            ),
            EventKind(
                "post.unpublished",
                "a post leaves the site",
                "post, with its text as it was there",
                "A post left the site",
            ),
        ),
    ),
    EventGroup(
        "Emails",
        (
            EventKind(
                "broadcast.started",
                "an email begins to go out, its undo time over",
                _EMAIL,
                "An email began to go out",
            ),
            EventKind(
                "broadcast.finished", "an email has gone out to everybody", _EMAIL, "An email has gone out"
            ),
            EventKind(
                "broadcast.needs_attention",
                "an email waits for a person",
                f"{_EMAIL}, and reason",
                "An email waits for a person",
            ),
        ),
    ),
    EventGroup(
        "Readers",
        (
            EventKind(
                "reader.subscribed",
                "the team or a program subscribes somebody who agreed",
                _READER,
                "A reader was subscribed",
            ),
            EventKind(
                "reader.confirmed", "a reader subscribes by their own word", _READER, "A reader subscribed"
            ),
            EventKind(
                "reader.unsubscribed",
                "a reader leaves a newsletter, or all of them",
                _READER,
                "A reader left",
            ),
            EventKind(
                "reader.suppressed",
                "an address is blocked, as after a bounce",
                "reader, and reason: bounce, complaint or by_hand",
                "An address was blocked",
            ),
            EventKind(
                "reader.erased",
                "a reader is erased",
                "reader, of whom nothing but the id is left",
                "A reader was erased",
            ),
        ),
        personal=True,
    ),
    EventGroup(
        "Plans",
        (
            EventKind("subscription.started", "a reader gets a plan", _PLAN, "A reader got a plan"),
            EventKind(
                "subscription.changed",
                "what a reader has of a plan changes",
                _PLAN,
                "A reader’s plan changed",
            ),
            EventKind("subscription.ended", "a reader’s plan ends", _PLAN, "A reader’s plan ended"),
        ),
        personal=True,
    ),
    EventGroup(
        "Imports",
        (
            EventKind(
                "import.finished",
                "an import is through; what it brought is not told one by one",
                "import, as GET /imports/{id} answers it",
                "An import is through",
            ),
        ),
    ),
)
#: What “Send a test event” makes, for the one webhook, whatever it has chosen.
TEST = EventKind("endpoint.test", "somebody presses “Send a test event”", "endpoint: its id", "A test event")
KINDS: tuple[EventKind, ...] = tuple(kind for group in GROUPS for kind in group.kinds)
CHOOSABLE: tuple[str, ...] = tuple(kind.type for kind in KINDS)
#: Every type that an endpoint may be told of.
TYPES: tuple[str, ...] = (*CHOOSABLE, TEST.type)
ALL = "*"
_HAPPENED = {kind.type: kind.happened for kind in (*KINDS, TEST)}


def chosen_words(events: tuple[str, ...]) -> str:
    """What a webhook is told, in a few words: `everything`, `a post left the site`, `5 of 15 events`."""
    if ALL in events:
        return "everything"
    if len(events) <= 2:
        words = [happened(event) for event in events]
        return ", ".join(one[0].lower() + one[1:] for one in words)
    return f"{len(events)} of {len(CHOOSABLE)} events"


def happened(type: str) -> str:
    """What happened, in a creator's words: `A post came to the site`."""
    return _HAPPENED.get(type, type)
