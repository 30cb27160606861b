"""Somebody asks to subscribe an address. Until whoever has it confirms, nothing else changes (R7, R8).

| the address is …                        | what is kept                          | what is mailed     |
|-----------------------------------------|---------------------------------------|--------------------|
| not known                               | a pending reader, what was asked      | confirm            |
| pending                                 | what was asked                        | confirm            |
| a reader without all of it, or who left | what was asked; the rest stays as is  | confirm            |
| blocked by a bounce or a complaint      | as above; the block stays             | confirm            |
| a reader of all of it                   | nothing                               | subscribed already |
| blocked by the team                     | nothing                               | nothing            |
| mailed three times just now             | nothing                               | nothing            |

Whoever asked sees the same page after each of these.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal
from uuid import UUID

from app.accounts import Account
from app.base import ids, tokens
from app.base.database import Tx
from app.base.settings import settings
from app.jobs import enqueue
from app.limits import allow, hashed_name, refuse_over
from app.messages import ConfirmSubscription, SubscribedAlready, ToReader, finish, queue_message
from app.readers.flooding import LONGEST_WAIT, admit
from app.readers.jobs import UNCONFIRMED_DAYS, ExpireUnconfirmed
from app.readers.letters import signature
from app.readers.states import Source
from app.readers.streams import Newsletter
from app.suppressions import suppression_of

LONGEST_FORM = 100
#: Mails that forms may send to one address: so many at once, then so many a day.
MAILS_AT_ONCE, MAILS_A_DAY = 3, 6
ASKS_AN_HOUR = 60
PURPOSE = "confirmation"

Outcome = Literal["made", "mailed", "blocked", "often"]

_READER = """
insert into reader (account_id, id, email, name, source, form)
values (:account, :id, :email, :name, :source, :form)
on conflict (account_id, email) do nothing
"""
_STANDING = """
select r.id, n.id as newsletter_id, s.state,
       not exists (select from subscription o where o.account_id = r.account_id and o.reader_id = r.id
                   and o.state <> 'pending') as nothing_but_pending
from reader r cross join newsletter n
left join subscription s on s.account_id = r.account_id and s.reader_id = r.id and s.newsletter_id = n.id
where r.email = :email and n.id = any (cast(:newsletters as uuid[]))
"""
_PENDING = """
insert into subscription (account_id, reader_id, newsletter_id, state, consent_source, consent_at)
select cast(:account as bigint), cast(:reader as uuid), n, 'pending', cast(:source as text), godwit_now()
from unnest(cast(:newsletters as uuid[])) as asked (n)
on conflict do nothing
"""
_ASKED = """
insert into consent (account_id, reader_id, newsletter_id, act, how)
select cast(:account as bigint), cast(:reader as uuid), n, 'asked', cast(:source as text)
from unnest(cast(:newsletters as uuid[])) as asked (n)
"""
_LINK = """
insert into confirmation (account_id, token_hash, reader_id, newsletter_ids, source, expires_at)
values (:account, :hash, :reader, :newsletters, :source, godwit_now() + make_interval(days => :days))
"""
_EXPIRY = "select date_trunc('hour', godwit_now()) + make_interval(days => :days, hours => 1)"
_LATER = "select godwit_now() + make_interval(secs => :seconds)"


@dataclass(frozen=True)
class Asked:
    """What somebody asks for: a canonical address, at least one newsletter, and where they asked.

    `where` is a sentence for the consent history; `form` the name of the form, '' without one.
    """

    email: str
    newsletters: tuple[Newsletter, ...]
    where: str
    form: str = ""
    name: str = ""
    source: Source = "form"


@dataclass(frozen=True)
class Busy:
    """The form is asked so often that nothing was taken; come again after so many seconds."""

    seconds: int


async def admit_form(tx: Tx, form: str, came_from: str) -> int | Busy:
    """Count a sign-up of a form, and commit: the seconds that its mail waits. Raises TooMany.

    In a transaction of its own: whoever uses the same form waits for the count, and must not wait for a mail
    to be written. `came_from` is the network of who asks.
    """
    await refuse_over(tx, f"sign-up:from:{hashed_name(came_from)}", ASKS_AN_HOUR, 3600, "hour")
    wait = await admit(tx, form)
    return Busy(LONGEST_WAIT) if wait > LONGEST_WAIT else wait


async def ask(tx: Tx, account: Account, asked: Asked, wait: int = 0) -> Outcome:
    """Keep what was asked, and mail whoever has the address, `wait` seconds from now.

    `made`: the reader is new by this very call, and mailed. `blocked` by the team, or mailed too `often` just
    now: then nothing is kept. Only a program hears of it.
    """
    block = await suppression_of(tx, asked.email)
    wanted, reader_id = await _standing(tx, asked)
    already = reader_id is not None and not wanted and block is None
    link = tokens.new_secret()
    message = _message(account, asked, wanted or asked.newsletters, link, already=already)
    silent = block is not None and block.reason == "by_hand"
    if silent or not await _may_mail(tx, asked.email):
        finish(message)  # costs the same time, goes nowhere
        return "blocked" if silent else "often"
    run_at = await tx.value(_LATER, seconds=wait) if wait else None
    await queue_message(tx, message, run_at=run_at)
    if not already:
        # After the mail is written: the first of an hour makes a job that the next one would wait for.
        return "made" if await _keep(tx, asked, wanted or asked.newsletters, link) else "mailed"
    return "mailed"


async def _standing(tx: Tx, asked: Asked) -> tuple[tuple[Newsletter, ...], UUID | None]:
    """Which of the newsletters the address does not have, and whose it is, if anybody's."""
    rows = await tx.rows(_STANDING, email=asked.email, newsletters=[one.id for one in asked.newsletters])
    has = {row.newsletter_id for row in rows if row.state == "active"}
    return tuple(one for one in asked.newsletters if one.id not in has), rows[0].id if rows else None


async def _keep(tx: Tx, asked: Asked, newsletters: tuple[Newsletter, ...], link: str) -> bool:
    """The reader, if they are new, which is answered; what was asked; the token; and that all expires."""
    wanted = [one.id for one in newsletters]
    made = await tx.execute(
        _READER,
        account=tx.account_id,
        id=ids.new(),
        email=asked.email,
        name=asked.name,
        source=asked.source,
        form=asked.form,
    )
    row = await tx.row(_STANDING, email=asked.email, newsletters=wanted)
    if row is None:
        return False  # erased this very moment: there is nobody to ask
    told = {"account": tx.account_id, "reader": row.id, "source": asked.where, "newsletters": wanted}
    if row.nothing_but_pending:
        await tx.execute(_PENDING, **told)
    await tx.execute(_ASKED, **told)
    await tx.execute(_LINK, **told, hash=tokens.keyed_hash(PURPOSE, link), days=UNCONFIRMED_DAYS)
    due = await tx.value(_EXPIRY, days=UNCONFIRMED_DAYS)
    await enqueue(tx, ExpireUnconfirmed(), key=f"expire-unconfirmed:{due:%Y-%m-%dT%H}", run_at=due)
    return bool(made)


def _message(
    account: Account, asked: Asked, newsletters: tuple[Newsletter, ...], link: str, *, already: bool
) -> ToReader:
    signed = signature(account, asked.email, newsletters[0])
    names = tuple(one.name for one in newsletters)
    if already:
        return SubscribedAlready(**signed, newsletters=names, link=f"{account.site_url}/me")
    return ConfirmSubscription(
        **signed, newsletters=names, link=f"{account.site_url}/confirm/{link}", days=UNCONFIRMED_DAYS
    )


async def _may_mail(tx: Tx, email: str) -> bool:
    """A stranger's forms do not fill somebody's mailbox: a few mails at once, then a few a day."""
    if settings().limits_off:
        return True
    day = timedelta(days=1).total_seconds()
    name = f"sign-up:to:{tx.account_id}:{hashed_name(email)}"
    return not await allow(tx, name, MAILS_A_DAY / day, MAILS_AT_ONCE)
