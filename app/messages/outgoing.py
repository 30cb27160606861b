"""What is asked about an account's messages: where each is, in words of the outbox."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.base.database import Tx
from app.base.errors import NotFound
from app.messages.catalogue import CATALOGUE, Entry
from app.messages.outbox import spellings
from app.switches import switches_of

#: The API's states, in the order of a message's life; `pruned_message` knows one more.
STATES = ("pending", "in_progress", "retrying", "sent", "dead", "held", "discarded")

#: The states of a job `j` as those of a message. What a switch keeps back is ready, and reads
#: as held.
STATE = """case
    when j.state = 'ready' and :holding then 'held'
    when j.state = 'ready' and j.attempts = 0 and j.throttles = 0 then 'pending'
    when j.state = 'ready' then 'retrying'
    when j.state = 'leased' then 'in_progress'
    when j.state = 'done' then 'sent'
    when j.state in ('dead', 'held') then j.state
    else 'discarded' end"""
_LINE = f"""
select j.id, j.args->>'mail' as mail, j.args->>'to' as "to", j.args->>'subject' as subject, {STATE} as state,
       case when j.state in ('ready', 'held', 'dead', 'discarded') then j.reason end as reason,
       j.attempts, case when j.state = 'ready' then j.run_at end as next_at, j.created_at, j.finished_at,
       j.args->>'key' as key, j.state = 'held' or (j.state = 'dead' and exists (
           select from attempt a where a.account_id = j.account_id and a.job_id = j.id
           and a.number = j.attempts and a.outcome = 'lost')) as unsure
from job j
where j.account_id = :account and j.queue = 'messages' and j.kind = 'send_message'
"""
_LIST = f"""
select * from ({_LINE} and (cast(:before as bigint) is null or j.id < :before)) as message
where cast(:state as text) = '' or state = :state
order by id desc limit :most
"""
_COUNTS = f"select state, count(*) as n from ({_LINE}) as message group by state"
_ONE = f"{_LINE} and j.id = :id"
_BODY = """
select args from job
where account_id = :account and id = :id and queue = 'messages' and kind = 'send_message'
"""
_TRIES = """
select * from (
    select number, started_at, ended_at, outcome, late, detail->>'reason' as reason from attempt
    where account_id = :account and job_id = :id order by started_at desc, number desc limit 200) as newest
order by started_at, number
"""
_OF_KEY = """
select job_id from job_key
where account_id = :account and kind = 'send_message' and key = any (cast(:keys as text[]))
"""
#: A job that was over is pruned after its time. Its key stays, its tries do for two whole months at least:
#: without them nobody knows whether it was sent.
_PRUNED = """
select k.job_id, k.key, k.created_at, a.ended_at,
       case when a.outcome = 'done' then 'sent'
            when a.outcome is null
                and k.created_at < date_trunc('month', godwit_now(), 'UTC') - interval '2 months'
            then 'pruned'
            else 'discarded' end as state
from job_key k left join lateral (
    select outcome, ended_at from attempt
    where account_id = k.account_id and job_id = k.job_id order by started_at desc limit 1) a on true
where k.account_id = :account and k.kind = 'send_message'
  and k.key = any (cast(:keys as text[])) and k.job_id = :id
"""
_HELD = """
select count(*) from job where account_id = :account and queue = 'messages' and state = 'ready'
"""


@dataclass(frozen=True)
class MessageLine:
    """One message. `reason` says why it is where it is; `unsure`: handed over, and no answer came."""

    id: int
    mail: str
    to: str
    subject: str
    state: str
    reason: str | None
    attempts: int
    next_at: datetime | None
    created_at: datetime
    finished_at: datetime | None
    key: str | None
    unsure: bool

    @property
    def entry(self) -> Entry:
        """Its place in the catalogue."""
        return CATALOGUE[self.mail]

    @property
    def may_retry(self) -> bool:
        """Whether a person may send it again: it gave up, or nobody can tell."""
        return self.state == "dead" or self.unsure


@dataclass(frozen=True)
class Try:
    """One try, as it ended. `late`: somebody else held the message by then."""

    number: int
    started_at: datetime
    ended_at: datetime
    outcome: str
    late: bool
    reason: str | None


@dataclass(frozen=True)
class Words:
    """What a message says."""

    sender: str
    reply_to: str | None
    text: str
    html: str | None
    headers: tuple[tuple[str, str], ...]


async def are_held(tx: Tx) -> bool:
    """Whether a switch keeps the account's messages back now."""
    return (await switches_of(tx)).holds(bulk=False)


async def are_stopped(tx: Tx) -> bool:
    """Whether they are stopped now; held all the same, they wait only to be let go."""
    return (await switches_of(tx)).stops(bulk=False)


async def messages(
    tx: Tx, *, holding: bool, state: str = "", before: int | None = None, most: int = 50
) -> list[MessageLine]:
    """Newest first; `holding`: what `are_held` answers."""
    rows = await tx.rows(_LIST, account=tx.account_id, holding=holding, state=state, before=before, most=most)
    return [MessageLine(*row) for row in rows]


async def message_counts(tx: Tx, *, holding: bool) -> dict[str, int]:
    """How many are in each state."""
    rows = await tx.rows(_COUNTS, account=tx.account_id, holding=holding)
    found = {row.state: row.n for row in rows}
    return {state: found.get(state, 0) for state in STATES}


async def message(tx: Tx, message_id: int, *, holding: bool) -> MessageLine:
    """One of the account's. Raises NotFound."""
    row = await tx.row(_ONE, account=tx.account_id, holding=holding, id=message_id)
    if row is None:
        raise NotFound("There is no such automatic email.")
    return MessageLine(*row)


async def tries(tx: Tx, message_id: int) -> list[Try]:
    """The tries of a message, oldest first: the newest 200, as one that is put off has more."""
    return [Try(*row) for row in await tx.rows(_TRIES, account=tx.account_id, id=message_id)]


async def words_of(tx: Tx, line: MessageLine) -> Words | None:
    """What it says; None for what lets somebody in, whoever asks."""
    args: dict[str, Any] | None = await tx.value(_BODY, account=tx.account_id, id=line.id)
    if args is None or line.entry.lets_in:
        return None
    headers = tuple((name, value) for name, value in args.get("headers", ()))
    return Words(args["sender"], args.get("reply_to"), args["text"], args.get("html"), headers)


async def message_of_key(tx: Tx, key: str) -> int | None:
    """The first message that was asked for under this key, also when its job is pruned (M1)."""
    return await tx.value(_OF_KEY, account=tx.account_id, keys=spellings(key))


async def pruned_message(tx: Tx, message_id: int, key: str) -> MessageLine:
    """What is still known of a message whose job is pruned: that it was, and how its last try ended.

    In state pruned when its tries are gone too. Raises NotFound.
    """
    row = await tx.row(_PRUNED, account=tx.account_id, id=message_id, keys=spellings(key))
    if row is None:
        raise NotFound("There is no such automatic email.")
    return MessageLine(
        row.job_id, "own", "", "", row.state, None, 0, None, row.created_at, row.ended_at, row.key, False
    )


async def held_messages(tx: Tx) -> int:
    """How many wait for a switch, were one to hold them."""
    return await tx.value(_HELD, account=tx.account_id)
