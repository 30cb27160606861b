"""What DNS says of a domain that mail comes from: whether answers arrive, and whether receivers believe us.

| record | where                      | source                                                          |
|--------|----------------------------|-----------------------------------------------------------------|
| MX     | the domain                 | RFC 5321 5.1; “.” says that no mail is taken (RFC 7505)         |
| SPF    | TXT of the domain, one     | RFC 7208 3.2, 4.5: two are an error for every receiver          |
| DKIM   | TXT of sel._domainkey.dom. | RFC 6376 3.6.1: p= is the key, empty when it was withdrawn      |
| DMARC  | TXT of _dmarc.domain       | RFC 7489 6.6.3: else that of the domain above                   |

Gmail and Yahoo ask bulk senders for all of them (their sender guidelines of February 2024).
"""

from collections.abc import Sequence

from app.cli.examining.findings import Finding, look, well, wrong
from app.egress import NoSuchName, NotReached, Resolver


async def examine_names(
    domain: str, selectors: Sequence[str] = (), *, resolver: Resolver | None = None
) -> list[Finding]:
    """What DNS says of one sending domain; `selectors` are names of DKIM keys, which who signs knows."""
    ask = resolver or Resolver()
    try:
        await ask.records(domain, "MX")
        return [
            await _mx(ask, domain),
            await _spf(ask, domain),
            await _dmarc(ask, domain),
            *([await _dkim(ask, domain, one) for one in selectors] or [_unknown_selector(domain)]),
        ]
    except NoSuchName:
        said = f"DNS knows no {domain}: receivers refuse mail from it, and nothing comes back."
        fix = "Look at its spelling, and whether it is paid for. Others find it? Then at our resolver."
        return [wrong("dns", said, fix)]
    except NotReached:
        said = f"DNS does not answer about {domain}: the name servers that were asked are silent."
        return [look("dns", said, "Look at this machine's resolver, then again.")]


async def _records(ask: Resolver, name: str, kind: str) -> list[str]:
    """The records as text; none also when there is no such name. Raises NotReached."""
    try:
        return await ask.records(name, kind)
    except NoSuchName:
        return []


async def _mx(ask: Resolver, domain: str) -> Finding:
    found = await _records(ask, domain, "MX")
    if any(one.split()[-1] == "." for one in found):
        said = f"{domain} takes no mail (its MX is “.”): replies and bounces are lost."
        return wrong("dns", said, f"Have {domain} take mail, or send from a domain that does.")
    if found:
        return well("dns", f"{domain} takes mail (MX): replies and bounces arrive.")
    if await _records(ask, domain, "A") or await _records(ask, domain, "AAAA"):
        said = f"{domain} has no MX; mail to it goes to its own address."
        return look("dns", said, "Add an MX record for the server that takes its mail.")
    said = (
        f"{domain} has neither MX nor address: replies and bounces are lost, and receivers refuse its mail."
    )
    return wrong("dns", said, "Add an MX record, or send from a domain that has one.")


async def _spf(ask: Resolver, domain: str) -> Finding:
    found = [one for one in await _records(ask, domain, "TXT") if one.lower().split(" ")[0] == "v=spf1"]
    if not found:
        fix = (
            f'Add a TXT record to {domain}: "v=spf1 include:… -all", with the include of who sends your mail.'
        )
        return wrong("dns", f"{domain} has no SPF record: receivers do not know who may send for it.", fix)
    if len(found) > 1:
        said = f"{domain} has {len(found)} SPF records; receivers then believe none."
        return wrong("dns", said, "Join them into one.")
    terms = found[0].lower().split()
    if "+all" in terms or "all" in terms:
        return wrong(
            "dns", f"The SPF record of {domain} lets everybody send for it.", "End it with -all or ~all."
        )
    if "?all" in terms or not any(one.endswith("all") or one.startswith("redirect=") for one in terms):
        return look(
            "dns", f"The SPF record of {domain} says nothing about others.", "End it with -all or ~all."
        )
    return well("dns", f"{domain} says who may send for it (SPF): {found[0]}")


async def _dmarc(ask: Resolver, domain: str) -> Finding:
    at, found = domain, await _dmarc_at(ask, domain)
    # Which domain is above is the Public Suffix List's to say; a record at any of them is one.
    while not found and at.count(".") > 1:
        at = at.partition(".")[2]
        found = await _dmarc_at(ask, at)
    if not found:
        said = f"{domain} has no DMARC record; Gmail and Yahoo ask bulk senders for one."
        fix = f'Add a TXT record at _dmarc.{domain}: "v=DMARC1; p=none; rua=mailto:you@{domain}".'
        return wrong("dns", said, fix)
    if len(found) > 1:
        return wrong(
            "dns", f"_dmarc.{at} has {len(found)} DMARC records; receivers then believe none.", "Keep one."
        )
    return well("dns", f"{domain} says what to do with mail that is not its own (DMARC at {at}): {found[0]}")


async def _dmarc_at(ask: Resolver, domain: str) -> list[str]:
    found = await _records(ask, f"_dmarc.{domain}", "TXT")
    return [one for one in found if one.split(";")[0].strip().upper().replace(" ", "") == "V=DMARC1"]


async def _dkim(ask: Resolver, domain: str, selector: str) -> Finding:
    name = f"{selector}._domainkey.{domain}"
    found = await _records(ask, name, "TXT")
    keys = [part.strip() for one in found for part in one.split(";") if part.strip().startswith("p=")]
    if not keys:
        return wrong(
            "dns", f"There is no DKIM key at {name}.", "Add the record that your mail provider gives you."
        )
    if all(key == "p=" for key in keys):
        return wrong(
            "dns",
            f"The DKIM key at {name} was withdrawn (p= is empty).",
            "Sign with another, or add it again.",
        )
    return well("dns", f"There is a DKIM key at {name}.")


def _unknown_selector(domain: str) -> Finding:
    said = f"Whether {domain} has a DKIM key was not looked at: who signs the mail chooses its name."
    return look(
        "dns", said, "Ask again with the name your mail provider gives: godwit doctor --selector NAME"
    )
