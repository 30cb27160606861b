"""Ids inside stored JSON (a segment's filter): told by name in the zip, found again where it arrives."""

from dataclasses import dataclass
from typing import Any

from app.base.database import Tx

_NAMES = """
select 'newsletter' as kind, id, slug from newsletter
union all select 'plan', id, slug from plan
"""


@dataclass(frozen=True)
class Names:
    """Newsletters and plans of an account: id → name and back."""

    by_id: dict[str, str]

    def without_ids(self, value: Any) -> Any:
        """The same with `newsletter:slug` and `plan:slug` in place of ids."""
        return _mapped(value, self.by_id)

    def with_ids(self, value: Any) -> Any:
        """And back."""
        return _mapped(value, {name: id for id, name in self.by_id.items()})


async def names_of(tx: Tx) -> Names:
    """Those of this account."""
    return Names({str(row.id): f"{row.kind}:{row.slug}" for row in await tx.rows(_NAMES)})


def _mapped(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list):
        return [_mapped(one, names) for one in value]
    if isinstance(value, dict):
        return {key: _mapped(one, names) for key, one in value.items()}
    return value
