"""Identities for the product's nouns: UUIDs of version 7 (RFC 9562), which sort by time."""

from uuid import UUID

from uuid_utils.compat import uuid7


def new() -> UUID:
    """A fresh id, later than those made before it in this process."""
    return uuid7()
