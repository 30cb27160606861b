"""Handing messages over: the lease is the intent, then the call, then the outcome settles the job."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.exc import DBAPIError

from app import mail
from app.base import failpoints
from app.base.database import Tx, in_words
from app.base.errors import Unavailable
from app.base.insisting import insist
from app.base.settings import settings
from app.jobs import (
    AddressBounced,
    Continue,
    Discard,
    Done,
    Outcome,
    Refused,
    Throttled,
    Unknown,
    Work,
    enqueue,
    handles,
)
from app.messages.meaning import meaning_of, refused_us
from app.messages.outbox import FinishedMail, SendCreatorCode, SendMessage, SendReaderCode, as_mail
from app.suppressions import suppression_of
from app.switches import switches_of

#: How often a code whose first call has no known outcome is called again.
UNSURE_TRIES = 2
#: Seconds until a message looks again after the database could not be asked about it.
DATABASE_AWAY = 5
#: Seconds after a probe is due until messages look whether it was let in.
PROBE_TAKES = 2
#: Longer than this (s) nobody is asked whether a mail went: a person decides.
ASKED_FOR = 300
#: Without these a reader could never lift a block that is theirs to lift (suppressions S4).
ASKED_FOR_BY_THEM = ("confirm_subscription", "subscribed_already")
#: Seconds for which a server that names no time puts a mail off at most: a message; a code.
PUT_OFF_MOST, CODE_PUT_OFF_MOST = 900.0, 30.0
#: Of a message whose reader was erased while it was on its way: nothing is left of it.
ERASED = "the reader was erased"
#: The part of a lease that a call may take, so that its end is told by us and not by the sweep.
_LEASE_USED = 0.8
#: How the reason begins when nobody was asked to take it.
NOTHING_LEFT = "nothing was handed over:"
_MAY_HAVE_ARRIVED = "It may have arrived: ask before you send it again."
# Only while the lease is held: who froze after the claim would hand over what another has in hand (L4).
_BEFORE = """
select c.call_until, extract(epoch from c.call_until - clock_timestamp())::double precision as seconds_left,
       a.outcome in ('unknown', 'lost') as unsure, a.started_at, clock_timestamp() as now,
       godwit_now() + greatest(interval '1 second',
           a.started_at + make_interval(secs => :lease) - clock_timestamp()) as again,
       coalesce(p.put_off, 0) as put_off
from job j left join lateral (
    select outcome, started_at from attempt
    where account_id = j.account_id and job_id = j.id and not late
      and outcome not in ('continue', 'throttled')
    order by started_at desc limit 1) a on true left join lateral (
    select cast(detail->>'put_off' as double precision) as put_off from attempt
    where account_id = j.account_id and job_id = j.id and not late and outcome <> 'continue'
      and not starts_with(coalesce(detail->>'reason', ''), :nothing)
    order by started_at desc limit 1) p on true cross join lateral (
    select least(clock_timestamp() + make_interval(secs => :seconds),
                 j.leased_until - interval '3 seconds') as call_until) c
where j.account_id = :account and j.id = :job and j.lease = :held and j.state = 'leased'
  and c.call_until > clock_timestamp()
for key share of j  -- a reset that deletes it comes before this, or after the call was begun
"""


@dataclass(frozen=True)
class _Before:
    """What is known before a call: until when it may have effect, and what became of the try before.

    `deadline` is `call_until` on this process's loop clock, never later; `began` is when it was asked for.
    `again` is when the call before can surely have no effect any more, by `godwit_now()`. `put_off`: for how
    long (s) the server has put it off, its answers before this call having been nothing else.
    """

    call_until: datetime
    began: float
    deadline: float
    unsure_since: datetime | None
    now: datetime
    again: datetime | None
    put_off: float


@handles(SendCreatorCode)
async def send_creator_code(work: Work, args: SendCreatorCode) -> Outcome:
    """A creator's code (M2)."""
    return await _send_code(work, args)


@handles(SendReaderCode)
async def send_reader_code(work: Work, args: SendReaderCode) -> Outcome:
    """A reader's code (M2), to a blocked address too: whoever has it asked, and may want to leave."""
    return await _send_code(work, args)


async def _send_code(work: Work, args: FinishedMail) -> Outcome:
    """Unsure is tried again at once, twice at most, never past its time."""
    if not args.to:
        return Discard(ERASED)
    async with work.transaction() as tx:
        switches = await switches_of(tx)
        if switches.reader_codes_stopped if work.job.account_id else switches.codes_stopped:
            return Discard("mail was stopped: codes wait for nothing")
        before = await _before(tx, work)
    outcome = await _hand_over(work, args, before)
    if isinstance(outcome, Unknown) and work.job.attempts > UNSURE_TRIES:
        return Refused(f"{outcome.reason} It was tried {work.job.attempts} times; ask for a new code.")
    return outcome


@handles(SendMessage)
async def send_message(work: Work, args: SendMessage) -> Outcome:
    """A message: never to a blocked address, and after a try without an answer not again on a guess."""
    if not args.to:
        return Discard(ERASED)
    try:
        async with work.transaction() as tx:
            blocked = await suppression_of(tx, args.to)
            refusal = await mail.standing_refusal(tx)
            before = await _before(tx, work)
    except (Unavailable, OSError, TimeoutError, DBAPIError) as error:
        # Not a try: as one it would be taken for the answer to a try that had none (L4).
        return Throttled(f"{NOTHING_LEFT} {in_words(error)}", DATABASE_AWAY)
    if blocked is not None and not (args.mail in ASKED_FOR_BY_THEM and blocked.reason != "by_hand"):
        return Refused(f"The address is blocked: {blocked.words}.")
    if before.unsure_since is not None and not args.repeatable:
        settled = await _settled_by_record(args, before)
        if settled is not None:
            return settled
    if refusal is not None:
        return refused_us(refusal.reason, refusal.seconds + PROBE_TAKES)
    outcome = await _hand_over(work, args, before)
    asked = args.repeatable or mail.current_provider().asked_at_once
    if isinstance(outcome, Unknown) and not asked:
        return Unknown(f"{_sentence(outcome.reason)} {_MAY_HAVE_ARRIVED}", held=True)
    return outcome


async def _before(tx: Tx, work: Work) -> _Before:
    """Read in the transaction before the talk. A person who retries starts the count of tries anew.

    Raises LeaseLost when the job is somebody else's, or will be before a call could be over.
    """
    began = asyncio.get_running_loop().time()
    row = await tx.row(
        _BEFORE,
        account=work.job.account_id,
        job=work.job.id,
        held=work.job.lease,
        lease=settings().sending.lease,
        seconds=settings().sending.timeout,
        nothing=NOTHING_LEFT,
    )
    if row is None:
        raise work.lost()
    unsure = row.started_at if row.unsure and work.job.attempts > 1 else None
    deadline = began + row.seconds_left
    return _Before(row.call_until, began, deadline, unsure, row.now, row.again, row.put_off)


async def _settled_by_record(args: FinishedMail, before: _Before) -> Outcome | None:
    """What the provider's record says about the try before; None: surely not sent, it may be tried again."""
    assert before.unsure_since is not None
    provider = mail.current_provider()
    if not provider.asked_at_once:
        return Unknown(f"It was handed over, and no answer came. {_MAY_HAVE_ARRIVED}", held=True)
    ended = before.unsure_since + timedelta(seconds=settings().sending.lease)
    record = await provider.look_up(args.delivery_id, [args.delivery_id], call_until=ended)
    if args.delivery_id in record.sent:
        return Done()
    if record.whole:
        return None
    if before.now > before.unsure_since + timedelta(seconds=ASKED_FOR):
        return Unknown("It may have arrived, and the provider's record could not be read.", held=True)
    return Continue(before.again, "no answer came; the provider's record is asked whether it went")


async def _hand_over(work: Work, finished: FinishedMail, before: _Before) -> Outcome:
    provider = mail.current_provider()
    told = settings().sending
    # Never past the lease, as the ledger may after SMTP's final dot; and for a code somebody waits.
    patience = 0 if isinstance(finished, SendCreatorCode | SendReaderCode) else provider.patience
    seconds = min(told.timeout + patience, max(told.timeout, told.lease * _LEASE_USED))
    letter = as_mail(finished, work.job.account_id)
    await failpoints.reached(work.database, "after_check", "messages", work.job.kind)
    said = await mail.hand_over(
        provider,
        [letter],
        batch_id=finished.delivery_id,
        call_until=before.call_until,
        until=before.began + seconds,
        deadline=before.deadline,
    )
    # Forgotten, it would be handed over once more: an answer that was given, or bytes that have left (L4).
    await insist(lambda: _tell(work, finished, said), until=before.began + told.lease * _LEASE_USED)
    most = CODE_PUT_OFF_MOST if isinstance(finished, SendCreatorCode) else PUT_OFF_MOST
    return meaning_of(said, before.put_off, most)


async def _tell(work: Work, finished: FinishedMail, said: mail.Outcome) -> None:
    """What others must hear of an answer, before it settles the job; told twice it is the same."""
    await failpoints.reached(work.database, "after_talk", "messages", work.job.kind)
    if isinstance(said, mail.Misconfigured):
        async with work.transaction() as tx:
            await mail.remember_refusal(tx, said.reason)
    if isinstance(said, mail.Refused) and said.bounced and work.job.account_id:
        # The same for every mail: an address that is refused for good is blocked, also when we learn it here.
        async with work.transaction() as tx:
            news = AddressBounced(finished.to, "bounce", said.reason[:1000])
            await enqueue(tx, news, key=str(finished.delivery_id))


def _sentence(text: str) -> str:
    """A provider's words, so that others may follow."""
    return text[:1].upper() + text[1:].rstrip(". ") + "."
