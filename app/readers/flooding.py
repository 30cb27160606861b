"""How often a form asks: counted by the hour, slowed when it is a flood, shown in the studio (R12).

A burst of people is real now and then (a post goes round), so that nobody is turned away at once: past
the first FREE of an hour the mails of a form leave one each SPACING seconds, and only when the queue is
an hour long it says "come again".
"""

from dataclasses import dataclass
from datetime import datetime

from app.base.database import Tx
from app.base.settings import settings

#: Sign-ups of one form, and of all forms of a publication, that are mailed at once in an hour.
FREE, FREE_IN_ALL = 100, 500
#: Seconds between two mails past that, and the longest that one is kept waiting.
SPACING, LONGEST_WAIT = 6, 3600
#: Names of forms that are told apart in an hour: whoever asks may name a form as they like.
MOST_FORMS = 50
OTHERS = "(others)"

_COUNT = """
insert into sign_up_hour as h (account_id, hour, form, asked)
select cast(:account as bigint), date_trunc('hour', godwit_now()), case
    when exists (select from sign_up_hour k
                 where k.hour = date_trunc('hour', godwit_now()) and k.form = :form)
      or (select count(*) from sign_up_hour k where k.hour = date_trunc('hour', godwit_now())) < :most
    then cast(:form as text) else cast(:others as text) end, 1
on conflict (account_id, hour, form) do update set asked = h.asked + 1
returning hour, form, asked,
    (select coalesce(sum(k.asked), 0) from sign_up_hour k
     where k.hour = h.hour and k.form <> h.form) as others
"""
_SLOWED = "update sign_up_hour set slowed = slowed + 1 where hour = :hour and form = :form"
_FLOODS = """
select form, min(hour) as since, max(hour) + interval '1 hour' as until,
       sum(asked) as asked, sum(slowed) as slowed
from sign_up_hour where hour >= godwit_now() - make_interval(days => :days)
group by form having sum(slowed) > 0 order by max(hour) desc, form
"""


@dataclass(frozen=True)
class Flood:
    """A form that was asked so often that it was slowed; '' is the site's own page."""

    form: str
    since: datetime
    until: datetime
    asked: int
    slowed: int


async def admit(tx: Tx, form: str) -> int:
    """Count one sign-up of a form: seconds its mail has to wait (0: none)."""
    row = await tx.row(_COUNT, account=tx.account_id, form=form, most=MOST_FORMS, others=OTHERS)
    assert row is not None
    over = max(row.asked - FREE, row.asked + row.others - FREE_IN_ALL)
    if over <= 0 or settings().limits_off:
        return 0
    await tx.execute(_SLOWED, hour=row.hour, form=row.form)
    return over * SPACING


async def floods(tx: Tx, days: int = 7) -> list[Flood]:
    """Which forms were slowed within so many days, the newest first."""
    return [Flood(*row) for row in await tx.rows(_FLOODS, days=days)]
