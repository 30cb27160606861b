"""Pictures that a post shows and its file does not hold: fetched from where they are, before it is brought.

A publication that leaves its house takes its pictures along, or they go with the house. The way there is the
guarded one: what a file names is anybody's to write.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from app.egress import Client, Lost, NotAllowed, NotReached, target_of

MOST_OCTETS = 20_000_000
"""Of one picture: what a post takes."""
EACH = 20.0
"""Seconds that one picture may take, with what it leads on to."""
AT_ONCE = 4
MOST_HOPS = 3
GIVEN_UP = 3
"""Failures in a row after which a host is asked for nothing more."""
_REDIRECTS = (301, 302, 303, 307, 308)
#: Without kinds that we do not keep: some servers send what is asked for.
_HEADERS = (("User-Agent", "Godwit import"), ("Accept", "image/webp,image/png,image/jpeg,image/gif;q=0.9"))


@dataclass(frozen=True)
class Fetched:
    """The picture of an address: `data`, or the sentence that tells why not, '' if there is none."""

    address: str
    data: bytes = b""
    wrong: str = ""


class Fetcher:
    """Fetches the pictures of one file; remembers which hosts do not answer."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._failed: Counter[str] = Counter()

    async def fetch(self, addresses: Sequence[str]) -> list[Fetched]:
        """Each of them, all at once: give AT_ONCE at most."""
        return list(await asyncio.gather(*(self._one(address) for address in addresses)))

    async def _one(self, address: str) -> Fetched:
        host = urlsplit(address).netloc
        if self._failed[host] >= GIVEN_UP:
            return Fetched(address, wrong=f"{host} did not answer {GIVEN_UP} times.")
        try:
            data = await self._follow(address)
        except NotAllowed:  # "it still loads from there" is all there is to say
            return Fetched(address)
        except (NotReached, Lost) as error:
            self._failed[host] += 1
            return Fetched(address, wrong=error.reason)
        except _NoPicture as error:
            return Fetched(address, wrong=str(error))
        self._failed[host] = 0
        return Fetched(address, data)

    async def _follow(self, address: str) -> bytes:
        deadline = asyncio.get_running_loop().time() + EACH
        for _ in range(MOST_HOPS + 1):
            target = target_of(address.partition("#")[0])
            answer = await self._client.get(target, _HEADERS, deadline=deadline, most=MOST_OCTETS)
            if answer.status in _REDIRECTS and (leads := answer.headers.get("location")):
                address = urljoin(target.url, leads)
                continue
            if answer.status != 200:
                raise _NoPicture(f"the site answers {answer.status}.")
            if answer.cut and len(answer.body) < MOST_OCTETS:
                raise Lost(f"{target.host} did not send all of it.")
            if answer.cut:
                raise _NoPicture(f"it has more than {MOST_OCTETS / 1e6:.0f} MB.")
            return answer.body
        raise _NoPicture(f"it leads on more than {MOST_HOPS} times.")


class _NoPicture(Exception):
    pass
