"""Identities for the product's nouns: UUIDs of version 7 (RFC 9562), which sort by time."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from itertools import count
from uuid import UUID

from uuid_utils.compat import uuid7

#: Milliseconds of 2026-01-01T00:00:00Z: when seeded ids say they were made.
_SEEDED_AT = 1_767_225_600_000

_seeded: ContextVar[Generator[UUID] | None] = ContextVar("seeded_ids", default=None)


def new() -> UUID:
    """A fresh id, later than those made before it in this process."""
    seeded = _seeded.get()
    return next(seeded) if seeded is not None else uuid7()


@contextmanager
def seeded(seed: str) -> Generator[None]:
    """Within it this task's ids are always the same for the same seed (testing mode): never for real data."""
    token = _seeded.set(_numbered(seed))
    try:
        yield
    finally:
        _seeded.reset(token)


def _numbered(seed: str) -> Generator[UUID]:
    for number in count():
        made = (_SEEDED_AT + number) << 80 | int.from_bytes(sha256(f"{seed} {number}".encode()).digest()[:10])
        made = made & ~(0xF << 76 | 0x3 << 62) | 0x7 << 76 | 0x2 << 62  # version and variant of RFC 9562
        yield UUID(int=made)
