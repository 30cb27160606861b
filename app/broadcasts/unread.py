"""Emails whose audience nobody reads any more: their build job gave up, or somebody gave it up."""

from app.base.database import Database
from app.ledger import pause_for

_LOCK = 7_265_014
#: Seconds for which a mailing may seem to have no job: both commit together, but a clock may be moved.
_GRACE = 30
_UNREAD = """
select m.account_id, m.id, d.reason
from mailing m
left join job_key k
    on k.account_id = m.account_id and k.kind = 'build_broadcast' and k.key = m.source_id::text
left join job d on d.account_id = k.account_id and d.id = k.job_id and d.state in ('dead', 'discarded')
where m.source_kind = 'broadcast' and m.state = 'building'
  and greatest(m.starts_at, m.going_since) < godwit_now() - make_interval(secs => :grace)
  and not exists (select from job j where j.queue = 'build' and j.kind = 'build_broadcast'
                  and j.state in ('ready', 'leased', 'held')
                  and j.account_id = m.account_id and j.args ->> 'broadcast_id' = m.source_id::text)
order by m.account_id, m.id
"""


async def pause_unread(database: Database) -> set[str]:
    """Beside the queues (E11): such an email is paused with the reason and its team told (E2).

    Resuming makes it a new job. Answers the queues that got work.
    """
    async with database.transaction() as tx:
        if not await tx.value("select pg_try_advisory_xact_lock(:lock)", lock=_LOCK):
            return set()
        found = await tx.rows(_UNREAD, grace=_GRACE)
        for one in found:
            await tx.enter_account(one.account_id)
            why = f": {one.reason}" if one.reason else ""
            await pause_for(tx, one.id, f"reading its audience was given up{why}")
    return {"messages"} if found else set()
