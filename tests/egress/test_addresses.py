"""W3: nothing private is ever dialled: each row of the table, as it is written and as a name leads there."""

from collections.abc import AsyncIterator, Iterator
from ipaddress import ip_address, ip_network

import pytest

from app.base.settings import load
from app.egress import NotAllowed, Policy, target_of, vetted
from app.egress.addresses import NOT_PUBLIC, is_public
from tests.egress.makers import allowing, calling, post
from tests.egress.names import Names, a_name_server

#: IANA's registries of special addresses, once more by hand: what the table must hold, whatever it says.
INSIDE = [
    "0.0.0.0",  # noqa: S104
    "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "127.0.0.1",
    "127.255.0.1", "168.63.129.16", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255",
    "192.0.0.9", "192.0.0.192", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.0.1",
    "192.175.48.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
    "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
    "::ffff:8.8.8.8", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::169.254.169.254", "64:ff9b:1::1",
    "100::1", "100:0:0:1::1", "2001::1", "2001:0:7f00:1::", "2001:2::1", "2001:10::1", "2001:20::1",
    "2001:db8::1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254",
    "fe80::1", "febf::1", "fec0::1", "ff02::1", "ff0e::1", "4000::1", "e000::1",
]  # fmt: skip
OUTSIDE = ["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.15.255.255", "172.32.0.1", "100.63.255.255",
           "100.128.0.1", "192.0.1.1", "223.255.255.255", "168.63.129.17", "198.17.255.255",
           "2606:4700:4700::1111", "2a00:1450:4001:81b::200e", "2001:4860:4860::8888"]  # fmt: skip
NOTHING_TOLD = "The address is not one that Godwit may call: it must lead to a server on the public internet."


def ends() -> Iterator[str]:
    """The first, the last and one within, of every row."""
    for row in NOT_PUBLIC:
        network = ip_network(row)
        yield from dict.fromkeys(str(network[at]) for at in (0, -1, network.num_addresses // 2))


def in_url(address: str) -> str:
    return f"https://[{address}]/hook" if ":" in address else f"https://{address}/hook"


@pytest.fixture
async def names() -> AsyncIterator[Names]:
    async with a_name_server() as made:
        yield made


@pytest.mark.parametrize("address", OUTSIDE)
def test_the_public_internet_may_be_called(address: str) -> None:
    assert is_public(ip_address(address))


async def test_an_inside_address_is_refused_as_it_is_written() -> None:
    """With a reason that is the same for all of them."""
    async with calling(Policy()) as client:
        for address in (*INSIDE, *ends()):
            with pytest.raises(NotAllowed) as told:
                await post(client, in_url(address))
            assert told.value.reason == NOTHING_TOLD, address


async def test_a_name_that_leads_inside_is_refused(names: Names) -> None:
    async with calling(allowing(names=names)) as client:
        for address in INSIDE:
            names.lead("hooks.example.com", address)
            with pytest.raises(NotAllowed) as told:
                await post(client, "https://hooks.example.com/")
            assert told.value.reason == NOTHING_TOLD, address


async def test_a_name_that_leads_outside_and_inside_is_refused(names: Names) -> None:
    """Not the bad answer alone is dropped: whoever mixes them wants something."""
    target, policy = target_of("https://hooks.example.com/"), allowing(names=names)
    for address in INSIDE:
        names.lead("hooks.example.com", "93.184.216.34", address, "2606:4700:4700::1111")
        with pytest.raises(NotAllowed) as told:
            await vetted(target, policy)
        assert told.value.reason == NOTHING_TOLD, address


async def test_a_name_that_leads_outside_is_vetted(names: Names) -> None:
    names.lead("hooks.example.com", "2606:4700:4700::1111", "93.184.216.34")
    found = await vetted(target_of("https://hooks.example.com/"), allowing(names=names))
    assert [str(one) for one in found] == ["93.184.216.34", "2606:4700:4700::1111"]


async def test_http_is_refused_without_a_look_at_the_name(names: Names) -> None:
    names.lead("hooks.example.com", "93.184.216.34")
    with pytest.raises(NotAllowed, match="must begin with https"):
        await vetted(target_of("http://hooks.example.com/"), allowing(names=names))
    assert not names.asked


async def test_http_to_the_public_internet_is_refused_beside_allowed_networks(names: Names) -> None:
    names.lead("hooks.example.com", "93.184.216.34")
    with pytest.raises(NotAllowed, match="must begin with https"):
        await vetted(target_of("http://hooks.example.com/"), allowing("10.0.0.0/8", names=names))


@pytest.mark.parametrize("port", [22, 25, 465, 587, 2375, 3306, 5432, 6379, 9200, 11211, 27017])
async def test_a_port_of_other_things_than_web_servers_is_refused(port: int) -> None:
    """Also where a network is allowed: a request can be read as commands there."""
    for policy in (Policy(), allowing("10.0.0.0/8")):
        with pytest.raises(NotAllowed, match="no web server listens"):
            await vetted(target_of(f"https://10.0.0.1:{port}/"), policy)


async def test_what_is_allowed_is_allowed_and_nothing_beside_it() -> None:
    policy = allowing("10.1.0.0/16", hosts=[("127.0.0.1", 8123)])
    for good in ("http://10.1.2.3/", "https://10.1.2.3:8080/", "http://127.0.0.1:8123/", "https://8.8.8.8/"):
        assert await vetted(target_of(good), policy)
    for bad in ("http://10.2.0.1/", "http://127.0.0.1:8124/", "https://127.0.0.2:8123/", "https://[::1]:8123/",
                "https://[::ffff:10.1.2.3]/", "https://[::ffff:127.0.0.1]:8123/"):  # fmt: skip
        with pytest.raises(NotAllowed):
            await vetted(target_of(bad), policy)


def test_networks_are_allowed_by_a_setting_but_not_in_production() -> None:
    told = {"DATABASE_URL": "postgresql://godwit:x@127.0.0.1/godwit", "REDIS_URL": "redis://127.0.0.1"}
    found = load({**told, "GODWIT_MODE": "testing", "GODWIT_EGRESS_ALLOW": "10.1.0.0/16, 127.0.0.1"})
    assert [str(one) for one in found.egress_allow] == ["10.1.0.0/16", "127.0.0.1/32"]
    for mode, given, problem in (
        ("production", "10.1.0.0/16", "public addresses only"),
        ("testing", "10.1.0.1/16", "is no network"),
        ("testing", "localhost", "is no network"),
    ):
        with pytest.raises(Exception, match=problem):
            load({**told, "GODWIT_MODE": mode, "GODWIT_EGRESS_ALLOW": given})
