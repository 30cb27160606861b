"""The console's first page: the whole at a look, again whenever it changes."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from app.base import clock
from app.base.database import Tx
from app.base.settings import settings
from app.jobs import queue_depths
from app.mail import standing_refusal
from app.ops.figures import Kept
from app.ops.findings import Finding, find_trouble
from app.ops.job_console import QueueLine, queue_lines
from app.ops.presence import workers
from app.switches import OperatorSwitch, Switch, switches_everywhere

#: Seconds that a reading is shown to whoever has the page open, and the most lines of a table.
KEPT, MOST = 2.0, 10

_RATES = """
select queue, cast(sum(last_minute) as bigint) as done from operator_outcome
where outcome = 'done' group by queue
"""
_UNKNOWN = """
select coalesce(a.slug, '') as account, b.provider, b.size, b.called_at, b.look_up_at
from operator_batch b left join operator_account a on a.id = b.account_id
where b.state = 'unknown' order by b.called_at, b.id limit :most
"""
_UNKNOWN_ALL = (
    "select count(*), cast(coalesce(sum(size), 0) as bigint) from operator_batch where state = 'unknown'"
)
_SHARES = """
with largest as materialized (
    select queue, share, jobs, oldest from operator_share order by jobs desc, queue, share limit :most
)
select l.queue, coalesce(a.slug, '') as account, l.jobs, l.oldest
from largest l
cross join lateral (select j.account_id from operator_job j
    where j.queue = l.queue and j.share = l.share and j.state = 'ready' limit 1) as one
left join operator_account a on a.id = one.account_id
order by l.jobs desc, l.queue, l.share
"""
_BUDGETS = """
select coalesce(a.slug, '') as account, count(*) as mailings,
       count(*) filter (where p.state = 'paused') as paused,
       cast(sum(p.planned) as bigint) as planned, cast(sum(p.sending) as bigint) as sending,
       cast(coalesce(max(m.copies), 0) as bigint) as granted, max(p.send_rate) as own_rate
from operator_progress p
left join operator_account a on a.id = p.account_id
left join operator_permit m on m.account_id = p.account_id
group by a.slug order by sum(p.planned) desc, a.slug limit :most
"""
_GIVEN_UP = """
select queue, kind, left(reason, 200) as reason, count(*) as jobs, max(id) as newest
from operator_job where state = 'dead' group by 1, 2, 3 order by 4 desc, 5 desc limit :most
"""


@dataclass(frozen=True)
class WorkerLine:
    """A worker process: alive, gone or stopped; `minutes` since its last sign of life."""

    name: str
    queues: tuple[str, ...]
    version: str
    state: str
    started_at: datetime
    minutes: int


@dataclass(frozen=True)
class UnknownLine:
    """A call to a provider that nobody answered: whose, how many copies, since when, when it is looked up."""

    account: str
    provider: str
    copies: int
    called_at: datetime
    look_up_at: datetime | None


@dataclass(frozen=True)
class ShareLine:
    """Who waits: a publication, or one of its webhooks, with so many ready jobs."""

    queue: str
    account: str
    jobs: int
    oldest: datetime


@dataclass(frozen=True)
class BudgetLine:
    """A publication with open emails: copies that wait, are on their way, have leave to go; its own rate."""

    account: str
    mailings: int
    paused: int
    planned: int
    sending: int
    granted: int
    own_rate: float | None


@dataclass(frozen=True)
class GivenUpLine:
    """Jobs of a kind that gave up for one reason; `newest` is one of them."""

    queue: str
    kind: str
    reason: str
    jobs: int
    newest: int


@dataclass(frozen=True)
class RefusalLine:
    """The mail provider lets us in no more: its words, and since when."""

    reason: str
    since: datetime


@dataclass(frozen=True)
class Overview:
    """All of it, as it was read once. `rates`: done by queue in the last full minute.

    `platform` is everybody's switch where it keeps mail back, `keeping` the publications whose own does;
    `read_at` is a whole minute: with each new one the page says anew how long ago things were, and one that
    nobody paints anew is seen to be old.
    """

    version: int = field(compare=False)
    read_at: datetime
    findings: tuple[Finding, ...]
    refusal: RefusalLine | None
    platform: Switch | None
    keeping: tuple[str, ...]
    queues: tuple[QueueLine, ...]
    rates: dict[str, int]
    workers: tuple[WorkerLine, ...]
    unknown: tuple[UnknownLine, ...]
    unknown_batches: int
    unknown_copies: int
    shares: tuple[ShareLine, ...]
    budgets: tuple[BudgetLine, ...]
    given_up: tuple[GivenUpLine, ...]
    provider: str
    rate: float
    live: bool = True

    @property
    def well(self) -> bool:
        """Whether nothing is wrong, and mail may go."""
        return not (self.findings or self.refusal or self.platform)

    @property
    def busy(self) -> tuple[QueueLine, ...]:
        """Queues in which something lies, or was done a minute ago."""
        return tuple(one for one in self.queues if one.busy or self.rates.get(one.name))

    @property
    def idle(self) -> tuple[str, ...]:
        """The others, by name."""
        return tuple(one.name for one in self.queues if one not in self.busy)

    def shows_the_same(self, other: "Overview | None") -> bool:
        """Whether a page that shows `other` need not be repainted."""
        return self == other


async def read_overview(tx: Tx) -> Overview:
    """As it is now. As an operator."""
    batches: Any = await tx.row(_UNKNOWN_ALL)
    refusal = await standing_refusal(tx)
    platform, keeping = _keeping(await switches_everywhere(tx))
    sending, mail = settings().sending, settings().mail
    return Overview(
        version=time.time_ns() // 1_000_000,
        read_at=clock.now().replace(second=0, microsecond=0),
        findings=tuple(await find_trouble(tx)),
        refusal=RefusalLine(refusal.reason, refusal.since) if refusal else None,
        platform=platform,
        keeping=keeping,
        queues=queue_lines(await queue_depths(tx)),
        rates={row.queue: row.done for row in await tx.rows(_RATES)},
        workers=tuple(
            WorkerLine(one.name, one.queues, one.version, one.state, one.started_at, int(one.silent // 60))
            for one in await workers(tx)
        ),
        unknown=tuple(UnknownLine(*row) for row in await tx.rows(_UNKNOWN, most=MOST)),
        unknown_batches=batches[0],
        unknown_copies=batches[1],
        shares=tuple(ShareLine(*row) for row in await tx.rows(_SHARES, most=MOST)),
        budgets=tuple(BudgetLine(*row) for row in await tx.rows(_BUDGETS, most=MOST)),
        given_up=tuple(GivenUpLine(*row) for row in await tx.rows(_GIVEN_UP, most=MOST)),
        provider=mail.provider,
        rate=sending.rate,
    )


def _keeping(found: Sequence[OperatorSwitch]) -> tuple[Switch | None, tuple[str, ...]]:
    """Of those that keep mail back: everybody's, and whose the others are."""
    holding = [one for one in found if one.switch.holding]
    platform = next((one.switch for one in holding if not one.slug), None)
    return platform, tuple(one.slug for one in holding if one.slug)


overview = Kept(read_overview, KEPT)
