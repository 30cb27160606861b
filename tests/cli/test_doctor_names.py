"""What doctor makes of a sending domain, asked of a DNS server on this machine."""

import asyncio
from collections.abc import AsyncIterator, Mapping

import dns.flags
import dns.message
import dns.rcode
import dns.rrset
import pytest

from app.cli.examining import Finding
from app.cli.examining.names import examine_names
from app.egress import Resolver

GOOD = {
    ("example.org", "MX"): ["10 mail.example.org."],
    ("example.org", "TXT"): ['"google-site-verification=x"', '"v=spf1 include:" "mail.example -all"'],
    ("_dmarc.example.org", "TXT"): ['"v=DMARC1; p=none; rua=mailto:a@example.org"'],
    ("k1._domainkey.example.org", "TXT"): ['"v=DKIM1; k=rsa; p=MIGf"'],
}
Zone = dict[tuple[str, str], list[str]]


class _Server(asyncio.DatagramProtocol):
    """Answers from a zone; NXDOMAIN for names it does not have, silence about `quiet` ones."""

    def __init__(self, zone: Zone) -> None:
        self.zone, self.quiet = zone, False

    def connection_made(self, transport: asyncio.DatagramTransport) -> None:
        self.transport = transport

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        asked = dns.message.from_wire(data)
        name, kind = asked.question[0].name.to_text(omit_final_dot=True), asked.question[0].rdtype.name
        answer = dns.message.make_response(asked)
        answer.flags |= dns.flags.AA
        if found := self.zone.get((name, kind)):
            answer.answer = [dns.rrset.from_text(f"{name}.", 60, "IN", kind, *found)]
        elif all(known != name for known, _ in self.zone):
            answer.set_rcode(dns.rcode.SERVFAIL if self.quiet else dns.rcode.NXDOMAIN)
        self.transport.sendto(answer.to_wire(), addr)


@pytest.fixture
async def server() -> AsyncIterator[_Server]:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.create_datagram_endpoint(
        lambda: _Server(dict(GOOD)), local_addr=("127.0.0.1", 0)
    )
    yield protocol
    transport.close()


async def asked(server: _Server, domain: str = "example.org", *selectors: str) -> list[Finding]:
    resolver = Resolver(["127.0.0.1"], server.transport.get_extra_info("sockname")[1])
    return await examine_names(domain, selectors, resolver=resolver)


async def test_a_domain_with_all_its_records_is_well(server: _Server) -> None:
    found = await asked(server, "example.org", "k1")
    assert [one.level for one in found] == ["well"] * 4
    assert "v=spf1 include:mail.example -all" in found[1].said  # the strings of one record are one


async def test_a_key_nobody_named_is_asked_for(server: _Server) -> None:
    found = await asked(server)
    assert [one.level for one in found] == ["well", "well", "well", "look"]
    assert "--selector" in found[3].fix


async def test_a_domain_below_is_held_by_the_dmarc_record_above(server: _Server) -> None:
    server.zone |= {
        ("news.example.org", "MX"): ["1 m.example.org."],
        ("news.example.org", "TXT"): ['"v=spf1 ~all"'],
    }
    found = await asked(server, "news.example.org")
    assert (found[2].level, "DMARC at example.org" in found[2].said) == ("well", True)


@pytest.mark.parametrize(
    ("changed", "place", "level", "said"),
    [
        ({("example.org", "MX"): ["0 ."]}, 0, "wrong", "takes no mail"),
        ({("example.org", "MX"): [], ("example.org", "A"): ["192.0.2.1"]}, 0, "look", "no MX"),
        ({("example.org", "MX"): []}, 0, "wrong", "neither MX nor address"),
        ({("example.org", "TXT"): ['"v=spf10 -all"']}, 1, "wrong", "no SPF record"),
        ({("example.org", "TXT"): ['"v=spf1 -all"', '"v=spf1 mx -all"']}, 1, "wrong", "2 SPF records"),
        ({("example.org", "TXT"): ['"v=spf1 +all"']}, 1, "wrong", "lets everybody send"),
        ({("example.org", "TXT"): ['"v=spf1 mx"']}, 1, "look", "says nothing about others"),
        ({("_dmarc.example.org", "TXT"): []}, 2, "wrong", "no DMARC record"),
        ({("_dmarc.example.org", "TXT"): ['"v=DMARC1; p=none"', '"v=DMARC1"']}, 2, "wrong", "2 DMARC"),
        ({("k1._domainkey.example.org", "TXT"): ['"v=DKIM1; p="']}, 3, "wrong", "withdrawn"),
        ({("k1._domainkey.example.org", "TXT"): []}, 3, "wrong", "no DKIM key"),
    ],
)  # fmt: skip
async def test_what_is_missing_or_contradicts_itself_comes_with_its_fix(
    server: _Server, changed: Mapping[tuple[str, str], list[str]], place: int, level: str, said: str
) -> None:
    server.zone |= changed
    found = (await asked(server, "example.org", "k1"))[place]
    assert (found.level, said in found.said) == (level, True), found
    assert found.fix


async def test_a_resolver_that_fails_is_no_verdict_on_the_domain(server: _Server) -> None:
    server.zone, server.quiet = {}, True
    (found,) = await asked(server)
    assert (found.level, "does not answer" in found.said) == ("look", True)


async def test_a_domain_that_is_not_there_is_one_finding(server: _Server) -> None:
    (found,) = await asked(server, "exmaple.org")
    assert (found.level, "DNS knows no exmaple.org" in found.said) == ("wrong", True)
