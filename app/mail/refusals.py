"""A provider that refuses us whatever the mail: a key, a domain, a right.

Nobody claims copies for it, and messages wait, until a probe is let in: after 30 s, then twice as long each
time, up to ten minutes; as soon as a person says so or a worker starts (its settings may be mended), which
makes no later wait longer. A probe shows no mail, so it may be let in where the
next mail is refused again (a sender, a right): within an hour the waits go on growing from where they were.
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime

from app.base.database import Database, Tx
from app.base.settings import settings
from app.base.telemetry import log
from app.mail.directory import current_provider
from app.mail.outcome import Accepted, Misconfigured, Outcome, Unknown

#: Seconds until the first probe, and the most between two.
FIRST_PROBE, MOST = 30, 600

_REMEMBER = """
insert into provider_refusal as r (provider, reason, probe_at)
values (:provider, coalesce(nullif(left(:reason, 2000), ''), 'it gave no reason'),
        godwit_now() + make_interval(secs => :first))
on conflict (provider) do update set
    reason = excluded.reason, let_in_at = null, (since, probes, probe_at) = (
        select p.since, n.probes,
               case when r.let_in_at is null then r.probe_at
                    else godwit_now()
                         + make_interval(secs => least(:most, :first * power(2, least(n.probes, 10)))) end
        from (select case when r.let_in_at is null then r.since else excluded.since end as since) as p,
             (select case when r.let_in_at < godwit_now() - interval '1 hour' then 0
                          else r.probes end as probes) as n)
"""
_STANDING = """
select reason, since, greatest(probe_at, godwit_now()) as probe_at,
       greatest(0, extract(epoch from probe_at - godwit_now()))::double precision as seconds
from provider_refusal where provider = :provider and let_in_at is null
"""
# A time at which no wait can end says that it was asked for: that turn makes no wait longer.
_SOON = """
update provider_refusal set probe_at = since
where provider = :provider and let_in_at is null and probe_at > godwit_now()
"""
_TURN = """
update provider_refusal set (probes, probe_at) = (
    select n.probes,
           godwit_now() + make_interval(secs => least(:most, :first * power(2, least(n.probes, 10))))
    from (select probes + case when probe_at > since then 1 else 0 end as probes) as n)
where provider = :provider and let_in_at is null and probe_at <= godwit_now()
returning since
"""
_LET_IN = """
update provider_refusal set let_in_at = godwit_now()
where provider = :provider and since = :since and let_in_at is null
"""


@dataclass(frozen=True)
class Refusal:
    """What a provider said, since when, and when it is asked again (`seconds` from now)."""

    reason: str
    since: datetime
    probe_at: datetime
    seconds: float


async def remember_refusal(tx: Tx, reason: str) -> None:
    """The provider in use refuses us. Last in a transaction: all who settle a call touch this one row."""
    await tx.execute(
        _REMEMBER, provider=settings().mail.provider, reason=reason, first=FIRST_PROBE, most=MOST
    )


async def standing_refusal(tx: Tx) -> Refusal | None:
    """Whether the provider in use refuses us now."""
    row = await tx.row(_STANDING, provider=settings().mail.provider)
    return Refusal(*row) if row else None


async def probe_soon(tx: Tx) -> bool:
    """A person, or a worker that starts, wants it asked now; False: nothing to ask, or it is due already."""
    return await tx.execute(_SOON, provider=settings().mail.provider) == 1


async def probe_refusing(database: Database) -> set[str]:
    """Ask a provider that refuses us, if it is time. Answers the queues whose work may go on.

    Who takes the turn moves the next one in the same commit, so that over all processes one asks.
    """
    name = settings().mail.provider
    async with database.transaction() as tx:
        since = await tx.value(_TURN, provider=name, first=FIRST_PROBE, most=MOST)
    if since is None:
        return set()
    said = await _knock()
    async with database.transaction() as tx:
        if isinstance(said, Misconfigured):
            await remember_refusal(tx, said.reason)
        if not isinstance(said, Accepted):
            return set()
        await tx.execute(_LET_IN, provider=name, since=since)
    log.info("provider_lets_us_in", provider=name)
    return {"sends", "messages"}


async def _knock() -> Outcome:
    try:
        async with asyncio.timeout(settings().sending.timeout):
            return await current_provider().probe()
    except TimeoutError:
        return Unknown("no answer within the time a call may take")
