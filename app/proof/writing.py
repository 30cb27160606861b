"""Accounts that publish for a measurement: their API keys, and the webhooks that hear of it."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from app.accounts import create_api_key
from app.base.database import Database
from app.base.settings import settings
from app.proof.orders import WritingOrder, WritingTally
from app.proof.processes import told_by
from app.proof.processors import command_of, descendants
from app.proof.publications import publication
from app.webhooks import NewEndpoint, add_endpoint

#: Receivers stand on this machine, and every limit and clock is as people have it.
AS_PEOPLE_HAVE_IT = {"GODWIT_EGRESS_ALLOW": "127.0.0.0/8", "GODWIT_MODE": "development"}
_PATIENCE = 120.0


async def announcing_accounts(
    web: Database, accounts: int, receiver: int, events: Sequence[str]
) -> list[str]:
    """So many accounts, each with a webhook that hears these events; answers their API keys."""
    keys: list[str] = []
    for n in range(accounts):
        account = await publication(web, f"writer{n}")
        async with web.transaction(account) as tx:
            await add_endpoint(tx, NewEndpoint(url=f"http://127.0.0.1:{receiver}/{n}", events=tuple(events)))
        async with web.transaction() as tx:
            keys.append(await create_api_key(tx, slug=f"writer{n}", name="bench"))
    return keys


async def written(order: WritingOrder) -> WritingTally:
    """What came of the order. Raises Unavailable when the tool does not come to its end."""
    patience = _PATIENCE + 3 * order.seconds if order.publishes_a_second else _PATIENCE + order.seconds
    return await told_by("app.proof.writers", order, WritingTally, patience)


def as_owner() -> Database:
    """The database's owner, who sees all accounts' jobs."""
    url = settings().database.owner_url
    return Database(url, urlsplit(url).username or "", 10)


def steps_told(tally: WritingTally) -> str:
    """Each step with its median and p99, and why requests failed."""
    told = [
        f"{name} {step.spread.quantile(0.5) * 1000:.1f} / {step.spread.quantile(0.99) * 1000:.1f} ms"
        for name, step in tally.steps.items()
    ]
    reasons = [
        f"{times:,} × {reason}" for step in tally.steps.values() for reason, times in step.reasons.items()
    ]
    failed = f"{tally.failed:,} failed" + (f" ({'; '.join(reasons)})" if reasons else "")
    return f"{', '.join(told)} (median / p99), {failed}"


def memory_of(pids: Sequence[int]) -> int:
    """Octets that these processes have resident; those that are gone have none."""
    octets = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        except OSError:
            continue
        octets += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))
    return octets


def below(pid: int, word: str) -> list[int]:
    """Processes that `pid` and its children started, whose command line has the word."""
    return [one for one in descendants(pid) if word in command_of(one)]
