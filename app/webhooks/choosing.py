"""Which deliveries of an endpoint: counted and found by their jobs, of which an endpoint may have very many.

Of each state of a job there is an index; which state of a delivery that is, `delivery_state_of` says here as
in the view, so that no count and no list says another thing than the delivery's own page.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.base.database import Tx
from app.base.errors import Invalid, Problem
from app.webhooks.catalogue import TYPES
from app.webhooks.orders import share_of
from app.webhooks.queries import LINE, DeliveryLine
from app.webhooks.states import DeliveryState

#: The states of jobs that a state of deliveries is found among.
_FROM: dict[str, tuple[str, ...]] = {
    DeliveryState.PENDING: ("ready", "leased"),
    DeliveryState.RETRYING: ("ready", "leased"),
    DeliveryState.DELIVERED: ("done",),
    DeliveryState.FAILED: ("dead", "discarded", "ready", "held"),
    DeliveryState.SUPERSEDED: ("superseded", "ready", "held"),
    DeliveryState.HELD: ("held", "ready"),
}
_HERE = """
here as materialized (
    select p.state, p.deleted_at is not null as deleted, l.newest_rank
    from endpoint p left join lane l on l.account_id = p.account_id and l.lane = :share
    where p.account_id = :account and p.id = :endpoint
)"""
_OF_SHARE = "j.account_id = :account and j.queue = 'webhooks' and j.share = :share"
_SAID = """delivery_state_of(j.state, {tried}, coalesce(j.rank < (select newest_rank from here), false),
                         (select state from here), (select deleted from here))"""
# What is over is in one state only. Of what is held the index says all there is to say.
_STATE = {
    "ready": _SAID.format(tried="j.attempts, j.throttles"),
    "leased": _SAID.format(tried="j.attempts, j.throttles"),
    "held": _SAID.format(tried="0, 0"),
}
_WAITING = "\n    union all\n".join(
    f"    select {said}, count(*) from job j where {_OF_SHARE} and j.state = '{state}' group by 1"
    for state, said in _STATE.items()
)
_COUNTS = f"""
with {_HERE}, counted as (
    select delivery_state_of(o.state, 0, 0, false, '', false) as state, o.n from (
        select j.state, count(*) as n from job j
        where {_OF_SHARE} and j.state in ('done', 'dead', 'superseded', 'discarded') group by j.state) as o
    union all
{_WAITING}
)
select state, cast(sum(n) as bigint) as n from counted group by state
"""
# A page of those in one state: as many from each state of jobs, newest first, of which the newest are it.
_IN_STATE = """
(select cast(j.args ->> 'delivery_id' as uuid) as id, j.id as job_id
 from job j
 where {of_share} and j.state = '{state}'{is_it}
   and j.id < coalesce((select d.job_id from delivery d where d.account_id = :account and d.id = :before),
                       9223372036854775807)
   and (cast(:type as text) = '' or exists (
        select from event e where e.account_id = j.account_id
        and e.id = cast(j.args ->> 'event_id' as bigint) and e.type = :type))
 order by j.id desc limit :most)"""
_NEWEST = """
select d.id, d.job_id from delivery d
where d.account_id = :account and d.endpoint_id = :endpoint
  and d.id < coalesce(cast(:before as uuid), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  and (cast(:type as text) = '' or exists (
       select from event e where e.account_id = d.account_id and e.id = d.event_id and e.type = :type))
order by d.id desc limit :most
"""
_OF_RELEASE = """
select d.id, d.job_id from delivery d
where d.account_id = :account and d.endpoint_id = :endpoint
  and d.event_id = any (array(
      select e.id from event e where e.account_id = :account and e.release = :release))
  and d.id < coalesce(cast(:before as uuid), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
"""
_AS_ASKED = """
(cast(:state as text) = '' or s.state = :state) and (cast(:type as text) = '' or s.type = :type)
"""


@dataclass(frozen=True)
class Wanted:
    """Which deliveries: of a state, of a type of event, of a release; '' and None: any."""

    state: str = ""
    type: str = ""
    release: int | None = None


ANY = Wanted()


def wanted_of(asked: Mapping[str, str]) -> Wanted:
    """What `state`, `type` and `release` of an address ask for. Raises Invalid with all that is wrong."""
    state, type, release = (asked.get(name, "").strip() for name in ("state", "type", "release"))
    problems = [
        Problem(name, f"There is no such {name}; choose one of {', '.join(known)}.")
        for name, given, known in (("state", state, tuple(DeliveryState)), ("type", type, TYPES))
        if given and given not in known
    ]
    if release and not (release.isascii() and release.isdigit() and len(release) < 10):
        problems.append(Problem("release", "The published version is a number, such as 12."))
    if problems:
        raise Invalid(problems)
    return Wanted(state, type, int(release) if release else None)


async def deliveries(
    tx: Tx, endpoint_id: UUID, wanted: Wanted = ANY, *, before: UUID | None = None, most: int = 51
) -> list[DeliveryLine]:
    """A page of an endpoint's deliveries, newest first; `before` is the last one of the page before."""
    rows: list[Any] = await tx.rows(
        _page_of(wanted),
        **_whose(tx, endpoint_id),
        state=wanted.state,
        type=wanted.type,
        release=wanted.release,
        before=before,
        most=most,
    )
    return [DeliveryLine(*row) for row in rows]


async def delivery_counts(tx: Tx, endpoint_id: UUID) -> Mapping[str, int]:
    """How many of an endpoint's deliveries are in each state, 0 included."""
    rows = await tx.rows(_COUNTS, **_whose(tx, endpoint_id))
    return {str(state): 0 for state in DeliveryState} | {row.state: row.n for row in rows}


def _whose(tx: Tx, endpoint_id: UUID) -> dict[str, object]:
    return {"account": tx.account_id, "endpoint": endpoint_id, "share": share_of(endpoint_id)}


def _page_of(wanted: Wanted) -> str:
    if wanted.release is not None:
        chosen, rest, order = _OF_RELEASE, _AS_ASKED, "id"
    elif wanted.state:
        # In the order that their jobs were made, which is that of the index.
        chosen, rest, order = _in_state(wanted.state), "s.state = :state", "job_id"
    else:
        chosen, rest, order = _NEWEST, "true", "id"
    return f"""
with {_HERE}, chosen as materialized ({chosen})
{LINE}
where s.account_id = :account and s.id = any (array(select id from chosen)) and {rest}
order by s.{order} desc
limit :most
"""


def _in_state(state: str) -> str:
    branches = (
        _IN_STATE.format(
            of_share=_OF_SHARE, state=one, is_it=f"\n   and {_STATE[one]} = :state" if one in _STATE else ""
        )
        for one in _FROM.get(state, ())
    )
    return f"select * from ({' union all '.join(branches)}) as found order by job_id desc limit :most"
