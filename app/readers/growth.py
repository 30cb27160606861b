"""How the readers of an account grow, week by week, where they come from, and how many leave."""

from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from app.base.database import Tx
from app.readers.states import Source

#: Weeks that are shown, the present one with them.
WEEKS = 26


@dataclass(frozen=True)
class Week:
    """The week that begins on this Monday. `total` had joined by its end; `left` unsubscribed in it."""

    monday: date
    joined: int
    left: int
    total: int


@dataclass(frozen=True)
class Origin:
    """Where readers came from: the way, and of a form its name. `stayed` are subscribed now."""

    source: Source
    form: str
    joined: int
    stayed: int


_BOUND = """
select date_trunc('week', godwit_now() at time zone zone) - make_interval(weeks => :before) as monday, zone
from account where id = :account
"""
_WEEKS = """
with joined as (
    select date_trunc('week', r.joined_at at time zone :zone) as week, count(*) as n
    from reader r where r.joined_at >= :since group by 1
), gone as (
    select date_trunc('week', c.at at time zone :zone) as week, count(distinct c.reader_id) as n
    from consent c where c.act = 'unsubscribed' and c.at >= :since group by 1
), before as (
    select count(*) as n from reader r where r.joined_at < :since
)
select w.week::date as monday, coalesce(j.n, 0) as joined, coalesce(g.n, 0) as gone,
       (select n from before) + coalesce(sum(j.n) over (order by w.week), 0) as total
from generate_series(cast(:monday as timestamp), cast(:monday as timestamp) + make_interval(weeks => :before),
                     interval '1 week') as w(week)
left join joined j on j.week = w.week
left join gone g on g.week = w.week
order by w.week
"""
_ORIGINS = """
select r.source, r.form, count(*) as joined,
       count(*) filter (where exists (
           select from subscription s
           where s.account_id = r.account_id and s.reader_id = r.id and s.state = 'active')) as stayed
from reader r where r.joined_at >= :since
group by r.source, r.form order by count(*) desc, r.source, r.form
"""


async def growth(tx: Tx) -> list[Week]:
    """The weeks in the account's zone, oldest first; the last one is not over yet."""
    monday, zone = await _bound(tx)
    since = monday.replace(tzinfo=ZoneInfo(zone))
    rows = await tx.rows(_WEEKS, zone=zone, since=since, monday=monday, before=WEEKS - 1)
    return [Week(row.monday, row.joined, row.gone, int(row.total)) for row in rows]


async def origins(tx: Tx) -> list[Origin]:
    """Of those who joined in these weeks, the most first. Who was erased is not among them."""
    monday, zone = await _bound(tx)
    return [Origin(*row) for row in await tx.rows(_ORIGINS, since=monday.replace(tzinfo=ZoneInfo(zone)))]


async def _bound(tx: Tx) -> tuple[datetime, str]:
    """The Monday with which the weeks begin, as the account's wall has it, and the account's zone."""
    row = await tx.row(_BOUND, account=tx.account_id, before=WEEKS - 1)
    assert row is not None
    return row.monday, row.zone
