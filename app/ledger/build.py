"""Building: the audience is recorded in committed chunks by reader id (L2).

Each chunk and the cursor behind it commit together, the cursor by compare-and-set; so a
build that is killed goes on where the last commit ended, and two builds of one mailing
cannot both move it.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import CTE, Boolean, Executable, Select, func, literal, literal_column, select, union_all
from sqlalchemy.dialects.postgresql import insert

from app.base.database import Tx
from app.ledger.models import send, tally

CHUNK = 5_000

_WAS_THERE = literal_column("xmax <> 0", Boolean).label("skipped")

_BUILDING = """
select build_cursor, build_began_at is null as first from mailing
where account_id = :account and id = :mailing and state = 'building' for update
"""
_MOVE = """
update mailing set
    build_cursor = coalesce(:read_to, build_cursor),
    build_began_at = coalesce(build_began_at, godwit_now()),
    built_at = case when :done then godwit_now() end,
    state = case when :done then 'sending' else 'building' end
where account_id = :account and id = :mailing and state = 'building'
  and build_cursor is not distinct from :cursor
"""


@dataclass(frozen=True)
class ChunkRecorded:
    """`read` readers were looked at; `done`: the audience is whole, or building ended otherwise.

    `first`: nothing of it was read before.
    """

    read: int
    done: bool
    first: bool = False


async def record_chunk(
    tx: Tx, mailing_id: UUID, audience: Select[Any], *, chunk: int = CHUNK
) -> ChunkRecorded:
    """Record the next chunk of `audience` (columns reader_id, variant) as planned sends."""
    state = await tx.row(_BUILDING, account=tx.account_id, mailing=mailing_id)
    if state is None:
        return ChunkRecorded(0, done=True)
    recorded = await tx.row(_insert_chunk(tx, mailing_id, audience, state.build_cursor, chunk))
    assert recorded is not None
    done = recorded.read < chunk
    moved = await tx.execute(
        _MOVE,
        account=tx.account_id,
        mailing=mailing_id,
        read_to=recorded.read_to,
        cursor=state.build_cursor,
        done=done,
    )
    assert moved == 1, "the mailing row is locked by this transaction"
    return ChunkRecorded(recorded.read, done, state.first)


async def add_readers(tx: Tx, mailing_id: UUID, audience: Select[Any]) -> int:
    """Plan copies for those of `audience` who have none, in one statement; answers how many.

    Among them are those who were skipped and may be mailed by now: who left and came back, say.
    The caller holds the mailing's lock, and knows that its audience is whole.
    """
    readers = audience.subquery("audience")
    everybody = select(readers.c.reader_id, readers.c.variant).order_by(readers.c.reader_id)
    recorded = await tx.row(_insert(tx, mailing_id, everybody, skipped_too=True))
    assert recorded is not None
    return int(recorded.added)


def _insert_chunk(
    tx: Tx, mailing_id: UUID, audience: Select[Any], cursor: UUID | None, chunk: int
) -> Executable:
    readers = audience.subquery("audience")
    following = select(readers.c.reader_id, readers.c.variant).order_by(readers.c.reader_id).limit(chunk)
    if cursor is not None:
        following = following.where(readers.c.reader_id > cursor)
    return _insert(tx, mailing_id, following)


def _insert(
    tx: Tx, mailing_id: UUID, following: Select[Any, Any], *, skipped_too: bool = False
) -> Executable:
    """Rows and figures in one statement (L7): answers how many were `read`, up to whom, how many `added`."""
    read = following.cte("chunk")
    planned = _planned(tx, mailing_id, read, skipped_too=skipped_too)
    counted = _counted(tx, mailing_id, planned)
    last = select(read.c.reader_id).order_by(read.c.reader_id.desc()).limit(1).scalar_subquery()
    return select(
        select(func.count()).select_from(read).scalar_subquery().label("read"),
        last.label("read_to"),
        select(func.count()).select_from(planned).scalar_subquery().label("added"),
        select(func.count()).select_from(counted).scalar_subquery().label("counted"),
    )


def _planned(tx: Tx, mailing_id: UUID, read: CTE, *, skipped_too: bool) -> CTE:
    """A copy planned for each who was read and has none; whether they were `skipped` before."""
    fresh = insert(send).from_select(
        ["account_id", "mailing_id", "reader_id", "variant"],
        select(literal(tx.account_id), literal(mailing_id), read.c.reader_id, read.c.variant),
    )
    planned = (
        fresh.on_conflict_do_update(
            index_elements=["account_id", "mailing_id", "reader_id"],
            set_={"state": "planned", "variant": fresh.excluded.variant, "reason": None, "settled_at": None},
            where=send.c.state == "skipped",
        )
        if skipped_too
        else fresh.on_conflict_do_nothing()
    )
    return planned.returning(send.c.reader_id, _WAS_THERE).cte("planned")


def _counted(tx: Tx, mailing_id: UUID, planned: CTE) -> CTE:
    """The figures, by as much as was planned; who was skipped before is so no more."""
    skipped = func.count().filter(planned.c.skipped)
    changed = union_all(
        select(literal("planned").label("state"), func.count().label("n")).select_from(planned),
        select(literal("skipped"), -skipped).select_from(planned).having(skipped > 0),
    ).subquery("changed")
    added = insert(tally).from_select(
        ["account_id", "mailing_id", "shard", "state", "n"],
        select(
            literal(tx.account_id), literal(mailing_id), literal(0), changed.c.state, changed.c.n
        ).order_by(changed.c.state),
    )
    return (
        added.on_conflict_do_update(
            index_elements=["account_id", "mailing_id", "shard", "state"],
            set_={"n": tally.c.n + added.excluded.n},
        )
        .returning(tally.c.n)
        .cte("counted")
    )
