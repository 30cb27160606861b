"""Where a name leads: asked of the name servers, over the network, with an end and without a thread.

dnspython's resolver can be cancelled and knows no files: what /etc/hosts says about a name is nobody's public
server. No search list either: every name is taken as it is written.
"""

import asyncio
import time
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any

import dns.asyncresolver
import dns.exception
import dns.name
import dns.rdatatype
import dns.resolver

from app.egress.addresses import Address
from app.egress.refusals import NoSuchName, NotReached

_PATIENCE = 5.0
#: Seconds after which the system's own settings are read again: a machine moves between networks.
_READ_AGAIN = 60.0
_NONE = "There is no server of the name {name}: the name does not exist, or leads nowhere."
_NO_ANSWER = "The name {name} could not be looked up just now: the name servers did not answer."


class Resolver:
    """Asks `servers` (addresses) at `port`; those of this machine when none are named."""

    def __init__(self, servers: Sequence[str] = (), port: int = 53) -> None:
        self._servers, self._port = tuple(servers), port
        self._made: dns.asyncresolver.Resolver | None = None
        self._made_at = 0.0

    async def addresses(self, name: str, *, lifetime: float = _PATIENCE) -> list[Address]:
        """Every address of `name`, IPv4 first. Raises NotReached: none, or no answer in `lifetime` s."""
        found = await asyncio.gather(
            self.records(name, "A", lifetime=lifetime),
            self.records(name, "AAAA", lifetime=lifetime),
            return_exceptions=True,
        )
        texts = [text for answer in found if not isinstance(answer, BaseException) for text in answer]
        if not texts:
            for answer in found:
                if isinstance(answer, BaseException):
                    raise answer
            raise NotReached(_NONE.format(name=name))
        return [ip_address(text) for text in texts]

    async def records(self, name: str, kind: str, *, lifetime: float = _PATIENCE) -> list[str]:
        """The records of one kind (A, MX …) as text, [] when there are none of it. Raises NoSuchName, and
        NotReached without an answer in `lifetime` seconds."""
        try:
            asked = dns.name.from_text(name, dns.name.root)
            answer = await self._resolver.resolve(
                asked, dns.rdatatype.from_text(kind), raise_on_no_answer=False, search=False,
                lifetime=min(lifetime, _PATIENCE),
            )  # fmt: skip
        except (dns.resolver.NXDOMAIN, dns.name.LabelTooLong, dns.name.EmptyLabel):
            raise NoSuchName(_NONE.format(name=name)) from None
        except (dns.exception.DNSException, OSError):
            raise NotReached(_NO_ANSWER.format(name=name)) from None
        found: list[Any] = [*(answer.rrset or ())]
        return [_text(record) for record in found]

    @property
    def _resolver(self) -> dns.asyncresolver.Resolver:
        now = time.monotonic()
        if self._made is None or (not self._servers and now - self._made_at > _READ_AGAIN):
            self._made, self._made_at = dns.asyncresolver.Resolver(configure=not self._servers), now
            if self._servers:
                self._made.nameservers, self._made.port = list(self._servers), self._port
        return self._made


def _text(record: Any) -> str:
    """Strings of one TXT record belong together (RFC 7208 3.3)."""
    if record.rdtype == dns.rdatatype.TXT:
        return b"".join(record.strings).decode("utf-8", "replace")
    return record.to_text()
