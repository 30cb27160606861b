"""What the API is sent of readers."""

from datetime import datetime
from typing import Annotated

import msgspec


class GivenConsent(msgspec.Struct, forbid_unknown_fields=True):
    """Where the reader agreed, and when (now when left out)."""

    source: str
    at: Annotated[datetime, msgspec.Meta(tz=True)] | None = None


class GivenReader(msgspec.Struct, forbid_unknown_fields=True):
    """A reader to add. Without `newsletters` it is the default one."""

    email: str
    name: str = ""
    newsletters: list[str] | None = None
    tags: list[str] = []
    note: str = ""
    consent: GivenConsent | None = None


class GivenChange(msgspec.Struct, forbid_unknown_fields=True):
    """What to change; what is left out stays. `newsletters` are all that the reader shall get."""

    name: str | msgspec.UnsetType = msgspec.UNSET
    note: str | msgspec.UnsetType = msgspec.UNSET
    tags: list[str] | msgspec.UnsetType = msgspec.UNSET
    newsletters: list[str] | msgspec.UnsetType = msgspec.UNSET
    consent: GivenConsent | None = None
