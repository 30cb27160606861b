"""What was queued for readers, read as the owner of the database."""

from dataclasses import dataclass
from typing import Any

from app.base.database import Database


@dataclass(frozen=True)
class Queued:
    """One automatic mail, waiting."""

    mail: str
    to: str
    subject: str
    text: str
    html: str
    state: str
    due_in: float

    def path(self, beginning: str) -> str:
        """The path of the first link that begins so, such as "/confirm/"."""
        return next(
            beginning + rest.split()[0] for rest in self.text.split(beginning)[1:] if rest and rest.split()
        )


async def queued(owner: Database, to: str = "", mail: str = "") -> list[Queued]:
    """Every one to an address, of one kind, oldest first."""
    async with owner.transaction() as tx:
        rows: list[Any] = await tx.rows(
            "select coalesce(args->>'mail', kind) as mail, args->>'to' as to, args->>'subject' as subject,"
            " args->>'text' as text, args->>'html' as html, state,"
            " extract(epoch from run_at - godwit_now()) as due_in"
            " from job where kind in ('send_message', 'send_reader_code')"
            " and (:to = '' or args->>'to' = :to) order by id",
            to=to,
        )
    found = [Queued(*row[:6], float(row.due_in)) for row in rows]
    return [one for one in found if not mail or one.mail == mail]


async def confirm_path(owner: Database, to: str) -> str:
    """The path of the newest confirmation link to an address."""
    return (await queued(owner, to, "confirm_subscription"))[-1].path("/confirm/")


async def code_of(owner: Database, to: str) -> str:
    """The newest code mailed to an address."""
    return (await queued(owner, to, "send_reader_code"))[-1].subject[:6]
