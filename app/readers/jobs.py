"""The readers' jobs: who never confirmed expires, who did is welcomed; what is learned of an address."""

from dataclasses import dataclass
from uuid import UUID

from app.base.statements import sql
from app.jobs import AddressBounced, Continue, Done, Outcome, Work, handles, job
from app.readers.announcing import tell_blocked
from app.readers.erasure import is_away
from app.suppressions import suppress, suppress_erased

#: Days until a reader whom nobody confirmed is forgotten, and until counts of sign-ups are.
UNCONFIRMED_DAYS, COUNT_DAYS = 7, 400
#: Readers a transaction.
AT_ONCE = 500
_OLD_LINKS = "delete from confirmation where expires_at <= godwit_now() - interval '1 day'"
_OLD_COUNTS = "delete from sign_up_hour where hour < godwit_now() - make_interval(days => :days)"


@job("expire_unconfirmed", queue="housekeeping")
@dataclass(frozen=True)
class ExpireUnconfirmed:
    """Forget the account's readers whom nobody confirmed in time; one an hour in which some asked."""


@job("welcome_reader", queue="messages", tries=10)
@dataclass(frozen=True)
class WelcomeReader:
    """A reader confirmed a newsletter that has a welcome mail. Who renders mail handles it (broadcasts)."""

    reader_id: UUID
    newsletter_id: UUID


@handles(ExpireUnconfirmed)
async def expire_unconfirmed(work: Work, args: ExpireUnconfirmed) -> Outcome:
    """Step by step."""
    while not work.stopping:
        async with work.step() as tx:
            gone = await tx.execute(
                sql(__package__, "expire_unconfirmed"), days=UNCONFIRMED_DAYS, most=AT_ONCE
            )
            if gone < AT_ONCE:
                await tx.execute(_OLD_LINKS)
                await tx.execute(_OLD_COUNTS, days=COUNT_DAYS)
                return Done()
    return Continue()


@handles(AddressBounced)
async def address_bounced(work: Work, args: AddressBounced) -> Outcome:
    """Block it for every mail, a reader's or not; told twice, the first reason stays (S2).

    Of an erased reader, who may have been erased while that mail was on its way, only a hash is kept.
    """
    async with work.transaction() as tx:
        if "@" not in args.address or await is_away(tx, args.address):
            await suppress_erased(tx, args.address, args.reason, args.detail)
        elif await suppress(tx, args.address, args.reason, args.detail):
            await tell_blocked(tx, args.address, args.reason)
    return Done()
