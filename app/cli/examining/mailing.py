"""The mail provider, asked by its probe (no mail leaves), and the domains that mail comes from."""

import asyncio

from app.base.database import Database
from app.base.settings import Settings
from app.cli.examining.findings import Finding, look, well, wrong
from app.egress import INSIDE_NAMES
from app.mail import Accepted, Misconfigured, current_provider, split_sender, standing_refusal
from app.readers import newsletters
from app.switches import switches_everywhere

#: Names that nobody outside can ask for; those of RFC 2606 are nobody's.
_INSIDE = tuple(f".{name}" for name in (*INSIDE_NAMES, "test", "example", "invalid"))
#: Publications that are named.
_NAMED = 10


async def examine_provider(told: Settings) -> list[Finding]:
    """Whether whoever takes our mail would let us in, and whether it refused us."""
    provider = current_provider()
    try:
        async with asyncio.timeout(told.sending.timeout):
            said = await provider.probe()
    except TimeoutError:
        return [wrong("mail", f"{_named(told)} does not answer.", "Look at its address, and at the network.")]
    finally:
        await provider.aclose()
    if not isinstance(said, Accepted):
        fix = (
            "Look at the user, the password and what they may do."
            if isinstance(said, Misconfigured)
            else "Look at its address and port, and whether this machine may reach it."
        )
        return [
            wrong("mail", f"{_named(told)} does not let us in: {said.reason}", f"{fix} ({_setting(told)})")
        ]
    async with Database.for_role("operator", pooled=False).transaction() as tx:
        refusal = await standing_refusal(tx)
    if refusal is None:
        return [well("mail", f"{_named(told)} lets us in. Nothing was mailed to find out.")]
    said = (
        f"{_named(told)} lets us in, but since {refusal.since:%Y-%m-%d %H:%M} UTC refused: {refusal.reason}"
    )
    return [
        look("mail", said, "A worker asks it again by itself; press Ask again on the page of what waits.")
    ]


async def examine_switches() -> list[Finding]:
    """What a person, or a database that was restored, keeps from going; nothing where all mail goes."""
    async with Database.for_role("operator", pooled=False).transaction() as tx:
        holding = [one for one in await switches_everywhere(tx) if one.switch.holding]
    whose = [one.slug for one in holding if one.slug]
    found: list[Finding] = []
    for switch in [one.switch for one in holding if not one.slug]:
        is_so = "is stopped" if switch.stopped else "was started, and what waited is still held,"
        said = (
            f"Everybody's mail {is_so} since {switch.changed_at:%Y-%m-%d %H:%M} UTC, by {switch.changed_by}"
        )
        fix = "Run: godwit switch off --reason …" if switch.stopped else "Run: godwit switch let-go"
        found.append(look("mail", f"{said}: {switch.reason}", fix))
    if whose:
        more = f" and {len(whose) - _NAMED} more" if len(whose) > _NAMED else ""
        said = f"Publications' own switches keep mail back: {', '.join(whose[:_NAMED])}{more}."
        found.append(look("mail", said, "Nothing, where they are to; see /console/switches."))
    return found


async def sending_domains(told: Settings) -> list[str]:
    """The domains that platform mail and newsletters come from, the platform's first."""
    found = [_domain(split_sender(told.mail.sender)[1])]
    if told.mail.provider == "mailbox":
        return []
    database = Database.for_role("web", pooled=False)
    async with Database.for_role("operator", pooled=False).transaction() as tx:
        accounts = [row.id for row in await tx.rows("select id from operator_account order by id")]
    for account in accounts:
        async with database.transaction(account) as tx:
            found += [_domain(one.from_address) for one in await newsletters(tx) if one.from_address]
    return [one for one in dict.fromkeys(found) if not f".{one}".endswith(_INSIDE)]


def _domain(address: str) -> str:
    return address.rpartition("@")[2].lower()


def _named(told: Settings) -> str:
    if told.mail.smtp is not None:
        return f"The mail server {told.mail.smtp.host}:{told.mail.smtp.port}"
    return f"The provider {told.mail.provider}"


def _setting(told: Settings) -> str:
    return "GODWIT_SMTP_URL" if told.mail.provider == "smtp" else "GODWIT_MAIL_PROVIDER"
