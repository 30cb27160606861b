"""Where a list goes on: the sort key of the last row shown, as an opaque word."""

import base64
import binascii
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

import msgspec

from app.base.errors import Invalid, Problem

_MOST = 2**63 - 1
"""What a bigint holds."""


class Cursor:
    """Makes and reads cursors. They are checked by type, not signed: they point, they do not permit."""

    @staticmethod
    def encode(*parts: datetime | UUID | int | str) -> str:
        """The cursor for a row with this sort key."""
        return base64.urlsafe_b64encode(msgspec.json.encode(parts)).rstrip(b"=").decode()

    @staticmethod
    def decode(text: str, *types: type) -> tuple[Any, ...]:
        """The sort key in `text`, its parts of the given types. Raises Invalid when it is not ours."""
        try:
            raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
            parts = msgspec.json.decode(raw, type=tuple[types])  # type: ignore[valid-type] - made at run time
            if any(isinstance(part, int) and abs(part) > _MOST for part in cast(tuple, parts)):
                raise ValueError("no row has such a number")
            # A time that has no UTC in the calendar could not be compared with any row.
            return tuple(
                part.astimezone(UTC) if isinstance(part, datetime) else part for part in cast(tuple, parts)
            )
        except (binascii.Error, ValueError, OverflowError, msgspec.MsgspecError) as error:
            message = "This cursor is not one of ours. Begin again without it."
            raise Invalid([Problem("cursor", message)]) from error
