"""A name server on loopback that answers as it is told, each time anew, and counts who asked what."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import cast

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

from app.egress import Resolver

#: What a name leads to: addresses, or None for no answer at all. Asked for each question.
Leads = Callable[[], list[str] | None]


class Names(asyncio.DatagramProtocol):
    """Names and where they lead; any other does not exist."""

    def __init__(self) -> None:
        self.known: dict[str, Leads] = {}
        self.asked: Counter[str] = Counter()
        self._transport: asyncio.DatagramTransport | None = None

    def lead(self, name: str, *addresses: str) -> None:
        """`name` leads to `addresses` from now on."""
        self.known[name] = lambda: list(addresses)

    def flip(self, name: str, first: str, then: str) -> None:
        """`name` leads to `first` when it is asked for the first time, and to `then` ever after."""
        self.known[name] = lambda: [first] if self.asked[f"{name} A"] <= 1 else [then]

    def silent(self, name: str) -> None:
        """Whoever asks for `name` hears nothing."""
        self.known[name] = lambda: None

    @property
    def resolver(self) -> Resolver:
        """A resolver that asks here."""
        assert self._transport is not None
        return Resolver(["127.0.0.1"], self._transport.get_extra_info("sockname")[1])

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        query = dns.message.from_wire(data)
        question = query.question[0]
        name, kind = question.name.to_text().rstrip("."), dns.rdatatype.to_text(question.rdtype)
        self.asked[f"{name} {kind}"] += 1
        answer = dns.message.make_response(query, recursion_available=True)
        leads = self.known.get(name)
        if leads is None:
            answer.set_rcode(dns.rcode.NXDOMAIN)
        elif (found := leads()) is None:
            return
        elif of_kind := [one for one in found if (":" in one) == (kind == "AAAA") and kind in ("A", "AAAA")]:
            answer.answer.append(dns.rrset.from_text(question.name, 0, "IN", kind, *of_kind))
        assert self._transport is not None
        self._transport.sendto(answer.to_wire(), addr)

    def close(self) -> None:
        assert self._transport is not None
        self._transport.close()


@asynccontextmanager
async def a_name_server() -> AsyncIterator[Names]:
    """A name server that knows no name yet."""
    _, names = await asyncio.get_running_loop().create_datagram_endpoint(Names, ("127.0.0.1", 0))
    try:
        yield names
    finally:
        names.close()
