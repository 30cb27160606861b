"""Links and pictures that lead to other sites: each is asked for, and what is not there is told.

It is for thinking again, not a judgement: a site may be down for a minute, or answer readers and not us. So
only what is told plainly counts: the page is not there, the name does not exist, nobody answers.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from app.answers import plural
from app.egress import Answer, Client, Lost, NotAllowed, NotReached, Target, target_of
from app.publishing.links import Lead

MOST = 40
"""Addresses that are asked for; the others are counted."""
AT_ONCE = 8
EACH, ALL = 4.0, 8.0
"""Seconds that one address may take, and all of them together."""
_HEADERS = (("User-Agent", "Godwit link check"), ("Accept", "*/*"))
_GONE = (404, 410)
#: What servers say that know GET alone, or let nobody ask without fetching.
_NOT_BY_HEAD = (400, 403, 405, 500, 501, *_GONE)


@dataclass(frozen=True)
class Asked:
    """Sentences about what is wrong; how many addresses were there, and how many of them were asked for."""

    wrong: tuple[str, ...] = ()
    links: int = 0
    tried: int = 0

    @property
    def words(self) -> str:
        """What was done, '' when there was nothing to ask for."""
        if not self.links:
            return ""
        told = f"Asked for: {self.tried:,} of {plural(self.links, 'address', 'addresses')} on other sites."
        if self.tried == self.links:
            return told
        return f"{told} Those with http:// are never asked for, nor more than {MOST} at a time."


async def ask_elsewhere(client: Client, leads: Sequence[Lead], *, each: float = EACH) -> Asked:
    """Ask for each address once, several at a time, `each` in so many seconds and all of them in ALL."""
    names: dict[str, str] = {}
    for lead in leads:
        if lead.where == "elsewhere":
            names.setdefault(lead.path, lead.name)
    turns, end = asyncio.Semaphore(AT_ONCE), asyncio.get_running_loop().time() + ALL

    async def one(url: str) -> str | None:
        async with turns:
            return await _verdict(client, url, each, end)

    told = await asyncio.gather(*(one(url) for url in list(names)[:MOST]))
    found = list(zip(names.values(), told, strict=False))
    return Asked(
        tuple(f"{name} {words}" for name, words in found if words),
        len(names),
        sum(words is not None for _, words in found),
    )


async def _verdict(client: Client, url: str, each: float, end: float) -> str | None:
    """What is wrong with it, '' for nothing that can be seen, None when it was not asked for."""
    now = asyncio.get_running_loop().time()
    if now >= end:
        return None
    try:
        answer = await _asked(client, target_of(url), min(now + each, end))
    except NotAllowed as error:
        if url.startswith("http:") or not client.policy.public:
            return None
        return f"leads to an address that cannot be asked for: {error.reason}"
    except (NotReached, Lost) as error:
        return f"could not be opened just now: {error.reason}"
    if answer.status in _GONE:
        return f"leads to a page that is not there: the site answers {answer.status}."
    if 500 <= answer.status < 600:
        return f"leads to a site that has trouble just now: it answers {answer.status}."
    return ""


async def _asked(client: Client, target: Target, deadline: float) -> Answer:
    answer = await client.head(target, _HEADERS, deadline=deadline)
    if answer.status in _NOT_BY_HEAD:
        return await client.get(target, _HEADERS, deadline=deadline)
    return answer
