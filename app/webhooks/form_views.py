"""What the forms of webhooks show: frozen, and made of nothing but what was read or typed."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from app.base.errors import Problem
from app.webhooks.catalogue import ALL, GROUPS, EventGroup
from app.webhooks.presets import PRESETS, Preset
from app.webhooks.queries import KEPT_DAYS


@dataclass(frozen=True)
class Typed:
    """The fields of a webhook, as they are or as they were typed. `id`: of the one that the form adds."""

    id: UUID
    url: str = ""
    description: str = ""
    everything: bool = True
    events: tuple[str, ...] = ()
    placeholder: str = "https://example.org/godwit"

    @property
    def groups(self) -> tuple[EventGroup, ...]:
        """What can be chosen."""
        return GROUPS

    @property
    def chosen(self) -> tuple[str, ...]:
        """The events as they are kept."""
        return (ALL,) if self.everything else self.events


@dataclass(frozen=True)
class NewPage:
    """The form of a new webhook, filled in for a preset. `doubt`: of the address that was typed."""

    url: str
    form: Typed
    preset: Preset | None = None
    problems: tuple[Problem, ...] = ()
    doubt: str = ""

    @property
    def kinds(self) -> tuple[tuple[str, tuple[Preset, ...]], ...]:
        """The presets by their kind."""
        names = dict.fromkeys(one.kind for one in PRESETS)
        return tuple((name, tuple(one for one in PRESETS if one.kind == name)) for name in names)


@dataclass(frozen=True)
class EditPage:
    """The form of a webhook that is there."""

    list_url: str
    url: str
    name: str
    form: Typed
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class SecretPage:
    """The one page that shows a secret. `ends_at`: until then the `earlier` ones are valid too.

    `warning`: of its address; `unread`: where the other program looks at no signature.
    """

    list_url: str
    url: str
    name: str
    secret: str = field(repr=False)
    rotated: bool = False
    ends_at: datetime | None = None
    earlier: int = 0
    warning: str = ""
    unread: str = ""


@dataclass(frozen=True)
class DeletePage:
    """What deleting would do, before it is done; `typed` is what was typed to confirm it."""

    list_url: str
    url: str
    name: str
    host: str
    waiting: int
    typed: str = ""
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class RangePage:
    """A time whose events go to a webhook again. `since`, `until`: wall times; `size` None: not asked."""

    list_url: str
    url: str
    name: str
    since: str
    until: str
    shortcuts: tuple[tuple[str, str], ...]
    size: int | None = None
    from_at: datetime | None = None
    to_at: datetime | None = None
    problems: tuple[Problem, ...] = ()
    kept_days: int = KEPT_DAYS
