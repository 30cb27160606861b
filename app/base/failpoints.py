"""Named moments at which testing mode lets a process die, freeze or fail.

They stand where a step has just been committed, or is just about to be: a crash there is what a
test wants to see survived. Ordered through `POST /testing/faults`, counted in the database, so
that one ordered once strikes once over all processes. Outside testing mode nothing is ever armed,
and passing one costs a look into an empty set.

One that cannot be asked about, because the database is away, is asked about again for a while, and then
passed: a failpoint brings no fault that nobody ordered.
"""

import asyncio
import os
import signal
from collections.abc import Iterable

from sqlalchemy.exc import DBAPIError

from app.base.database import Database, in_words
from app.base.errors import Unavailable
from app.base.insisting import insist
from app.base.telemetry import log

#: after_claim: the intention is committed; after_talk: the other side has answered, nothing is written;
#: before_settle: what became of it is about to be written; after_settle: it is. Of a webhook's call also
#: before_check: connected, the lease is about to be looked at; after_check: it was, next is the first byte.
#: Of a message there are after_check, its lease was good and the call is next, and after_talk.
#: Of an audience that is read after_chunk: some of it and the cursor behind it are committed.
POINTS = (
    *("after_claim", "before_check", "after_check", "after_talk", "before_settle", "after_settle"),
    "after_chunk",
)
PLACES = ("jobs", "ledger", "messages", "webhooks")
KINDS = ("kill", "stop", "raise")
#: Seconds in which one is asked about.
LONGEST = 10.0

_TAKE = """
with matching as (
    select id, seen >= after and (times is null or fired < times) as fires from mailbox.fault
    where target = 'worker' and at = :point and (match_in is null or match_in = :place)
      and (match_job is null or match_job = :job)
    order by id for update
)
update mailbox.fault f set seen = f.seen + 1, fired = f.fired + cast(m.fires as integer),
    pid = case when m.fires then cast(:pid as integer) else f.pid end
from matching m where f.id = m.id
returning case when m.fires then f.kind end as kind
"""
_armed: frozenset[str] = frozenset()


class Struck(Exception):
    """A failpoint of kind `raise`."""


def arm(points: Iterable[str]) -> None:
    """These are to be asked about from here on, and no others (testing mode's follower alone calls this)."""
    global _armed
    _armed = frozenset(points)


async def reached(database: Database, point: str, place: str, job: str) -> None:
    """Here is `point` of `place`, while doing a job of kind `job`; no transaction may be open.

    Raises Struck, or does not return, when a fault of testing mode strikes.
    """
    if point not in _armed:
        return
    # Alone: others at the same moment wait for these rows, and must not wait for one that froze.
    here = {"point": point, "place": place, "job": job, "pid": os.getpid()}
    try:
        until = asyncio.get_running_loop().time() + LONGEST
        taken = await insist(lambda: database.alone(_TAKE, **here), until=until)
    except (Unavailable, OSError, TimeoutError, DBAPIError) as error:
        log.warning("failpoint_passed", point=point, place=place, job=job, error=in_words(error))
        return
    for kind in [row.kind for row in taken if row.kind]:
        log.warning("failpoint", point=point, place=place, job=job, kind=kind)
        if kind == "raise":
            raise Struck(f"{point} in {place}, as a test ordered")
        os.kill(os.getpid(), signal.SIGKILL if kind == "kill" else signal.SIGSTOP)
