"""What is sealed, and under which of GODWIT_SECRET_KEYS; sealing again what lies under an old one."""

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import TypeVar

from app.base.database import Database, Tx
from app.base.seal import current_key_id, known_key_ids
from app.cli.examining.findings import Finding, look, well, wrong
from app.webhooks import reseal, sealed_under, waiting

T = TypeVar("T")


async def examine_keys() -> list[Finding]:
    """Whether all that is sealed can be opened, and whether an old key is still needed for it."""
    under: Counter[str] = Counter()
    for one in await _in_each_account(sealed_under):
        under.update(one)
    known, newest = set(known_key_ids()), under.pop(current_key_id(), 0)
    lost = sum(n for key, n in under.items() if key not in known)
    old = sum(under.values()) - lost
    found: list[Finding] = []
    if lost:
        said = f"{_secrets(lost)} of webhooks cannot be opened: the key is not in GODWIT_SECRET_KEYS."
        fix = "Put that key back, after the newest; or make those webhooks new secrets in the studio."
        found.append(wrong("keys", said, fix))
    if old:
        said = f"{_secrets(old)} of webhooks under an old key, {newest} under the newest."
        found.append(look("keys", said, "Run: godwit doctor --reseal"))
    held = sum(one.count for all_of in await _in_each_account(waiting) for one in all_of if one.shut)
    if held:
        waits = "delivery of a webhook waits" if held == 1 else "deliveries of webhooks wait"
        said = f"{held} {waits} for a secret that did not open."
        fix = "They go within an hour of its opening again; at once with: godwit doctor --reseal"
        found.append(look("keys", said, fix))
    if not found:
        under_newest = (
            f"{_secrets(newest)} of webhooks, all under the newest key." if newest else "Nothing yet."
        )
        found.append(well("keys", f"Sealed: {under_newest}"))
    return [*found, *_spare(len(known), old)]


async def seal_again() -> Finding:
    """Seal under the newest key what lies under another, account by account."""
    done = await _in_each_account(reseal)
    spoilt = sum(one.spoilt for one in done)
    if spoilt:
        said = f"{_secrets(spoilt)} of webhooks did not open although their key is here: they were changed."
        return wrong("keys", said, "Make those webhooks new secrets in the studio.")
    return well("keys", f"{_secrets(sum(one.done for one in done))} of webhooks sealed again.")


def _spare(keys: int, old: int) -> list[Finding]:
    if keys == 1 or old:
        return []
    said = f"{keys} keys are given; nothing sealed needs the older ones any more."
    fix = (
        "Links in mails sent under them do, unsubscribing too, and API keys that no program used since."
        " Keep them as long as those shall work."
    )
    return [look("keys", said, fix)]


def _secrets(n: int) -> str:
    return f"{n} secret" if n == 1 else f"{n} secrets"


async def _in_each_account(act: Callable[[Tx], Awaitable[T]]) -> list[T]:
    async with Database.for_role("operator", pooled=False).transaction() as tx:
        accounts = [row.id for row in await tx.rows("select id from operator_account order by id")]
    found: list[T] = []
    database = Database.for_role("worker")  # who alone may write a sealed secret anew
    try:
        for account in accounts:
            async with database.transaction(account) as tx:
                found.append(await act(tx))
    finally:
        await database.close()
    return found
