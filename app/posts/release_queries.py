"""What is asked about published versions. Lists go by keyset: one that is added meanwhile moves none."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.base.database import Tx
from app.base.errors import NotFound
from app.base.statements import sql
from app.posts.access import Access

_NEWEST = "select newest from release_counter where account_id = :account"


@dataclass(frozen=True)
class Change:
    """What a release did, or would do, to one post: published, updated or unpublished.

    `access` is who may read it from then on. `was` is the slug it had on the site before, None when it was
    not there or nobody asks; `before` who could read it when it was last there, None when nobody asks.
    """

    post_id: UUID
    revision_id: UUID
    title: str
    slug: str
    action: str
    access: Access
    was: str | None = None
    before: Access | None = None

    @property
    def gone(self) -> bool:
        """Whether it left the site."""
        return self.action == "unpublished"

    @property
    def opens(self) -> bool:
        """Whether it lets somebody read the post who could not before."""
        return self.before is not None and not self.gone and self.access.opens(self.before)


@dataclass(frozen=True)
class Release:
    """A published version. `live`: it is the newest; `published_by` is a name, '' when nobody's is known.

    `restored_from` is the number of the older one that it brought back.
    """

    number: int
    published_at: datetime
    published_by: str
    changes: tuple[Change, ...]
    live: bool
    restored_from: int | None = None


async def newest_releases(tx: Tx, older_than: int | None = None, limit: int = 50) -> list[Release]:
    """Published versions, newest first; `older_than` is the last page's last number."""
    rows = await tx.rows(
        sql(__package__, "releases"), account=tx.account_id, below=_number(older_than), exact=None, most=limit
    )
    return [_release(row) for row in rows]


async def release(tx: Tx, number: int) -> Release:
    """One published version. Raises NotFound."""
    row = await tx.row(
        sql(__package__, "releases"), account=tx.account_id, below=None, exact=_number(number), most=1
    )
    if row is None:
        raise NotFound(f"There is no published version {number}.")
    return _release(row)


async def newest_number(tx: Tx) -> int:
    """The number of the newest published version; 0 before there is one."""
    return await tx.value(_NEWEST, account=tx.account_id) or 0


def _number(given: int | None) -> int | None:
    """A release number that somebody typed, within what the column can hold."""
    return None if given is None else max(0, min(given, 2**31 - 1))


def _release(row: Any) -> Release:
    changes = _changes(row.changes or ())
    return Release(row.number, row.published_at, row.published_by, changes, row.live, row.restored_from)


def _changes(listed: Sequence[dict[str, str]]) -> tuple[Change, ...]:
    return tuple(
        Change(
            UUID(one["post_id"]),
            UUID(one["revision_id"]),
            one["title"],
            one["slug"],
            one["action"],
            Access(one["access"], UUID(one["plan_id"]) if one["plan_id"] else None),
        )
        for one in listed
    )
