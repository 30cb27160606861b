"""The automatic mails to one address, for the page of whoever has it."""

from dataclasses import dataclass
from datetime import datetime

from app.base.database import Tx
from app.messages.catalogue import CATALOGUE
from app.messages.outgoing import STATE, are_held


@dataclass(frozen=True)
class MessageTo:
    """One automatic mail. `title` is its name in the catalogue; what lets somebody in has no other words.

    `listed`: it has a page of its own among the account's automatic mails.
    """

    id: int
    title: str
    subject: str
    state: str
    reason: str | None
    at: datetime
    listed: bool


_TO = f"""
select j.id, j.kind, j.args->>'mail' as mail, j.args->>'subject' as subject, {STATE} as state,
       case when j.state in ('ready', 'held', 'dead', 'discarded') then j.reason end as reason,
       coalesce(j.finished_at, j.created_at) as at
from job j join messages_to(:address, :most) found on found = j.id
order by j.id desc
"""


async def messages_to(tx: Tx, address: str, *, most: int = 20) -> list[MessageTo]:
    """The newest to a canonical address, newest first; they are kept for thirty days after their end."""
    rows = await tx.rows(_TO, address=address, most=most, holding=await are_held(tx))
    found: list[MessageTo] = []
    for row in rows:
        entry = CATALOGUE[row.mail or "reader_code"]
        subject = "" if entry.lets_in else row.subject or ""
        listed = row.kind == "send_message"
        found.append(MessageTo(row.id, entry.title, subject, row.state, row.reason, row.at, listed))
    return found
