"""Identities for the product's nouns: UUIDs of version 7 (RFC 9562), which sort by time."""

from collections.abc import Callable
from uuid import UUID

from uuid_utils.compat import uuid7

_make: Callable[[], UUID] = uuid7


def new() -> UUID:
    """A fresh id, later than those made before it in this process."""
    return _make()


def set_maker(make: Callable[[], UUID] | None) -> None:
    """Make ids with `make` from here on (tests, seeds); None brings version 7 back."""
    global _make
    _make = make or uuid7


def parse(text: str) -> UUID | None:
    """The id written in `text`, or None when it is not one (an opaque string for callers)."""
    try:
        return UUID(text)
    except ValueError:
        return None
