"""How an address is read: one way only, and nothing of one's own network by name."""

import pytest

from app.egress import NotAllowed, target_of

OWN = "must lead to a server on the public internet"


@pytest.mark.parametrize(
    ("given", "url", "host", "port"),
    [
        ("https://example.com", "https://example.com/", "example.com", 443),
        ("HTTPS://Example.COM/Hook", "https://example.com/Hook", "example.com", 443),
        ("https://example.com:443/x", "https://example.com/x", "example.com", 443),
        ("https://example.com:8443?a=b", "https://example.com:8443/?a=b", "example.com", 8443),
        ("https://example.com./x", "https://example.com/x", "example.com", 443),
        ("http://example.com/x", "http://example.com/x", "example.com", 80),
        ("https://8.8.8.8/x", "https://8.8.8.8/x", "8.8.8.8", 443),
        ("https://[2606:4700::1111]:444/x", "https://[2606:4700::1111]:444/x", "2606:4700::1111", 444),
        ("https://müller.example/fön?q=ü", "https://xn--mller-kva.example/f%C3%B6n?q=%C3%BC",
         "xn--mller-kva.example", 443),
        ("https://medium.com/@ana/a%20b", "https://medium.com/@ana/a%20b", "medium.com", 443),
        ("https://a_b.example.com/", "https://a_b.example.com/", "a_b.example.com", 443),
    ],
)  # fmt: skip
def test_an_address_is_put_together_anew_from_its_parts(given: str, url: str, host: str, port: int) -> None:
    found = target_of(given)
    assert (found.url, found.host, found.port) == (url, host, port)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("", "must begin with https://"),
        ("example.com/hook", "must begin with https://"),
        ("//example.com", "must begin with https://"),
        ("ftp://example.com", "must begin with https://"),
        ("file:///etc/passwd", "must begin with https://"),
        ("gopher://127.0.0.1:6379/_x", "must begin with https://"),
        ("https:/example.com", "must begin with https://"),
        ("https:///etc", "names no host"),
        ("https://", "names no host"),
        ("https://:80/", "names no host"),
        ("https://example.com:/", "names no host"),
        ("https://example.com:0/", "port that does not exist"),
        ("https://example.com:65536/", "port that does not exist"),
        ("https://example.com:999999/", "names no host"),
        ("https://example.com:80:80/", "names no host"),
        ("https://example.com:８０/", "names no host"),
        ("https://example.com@127.0.0.1/", "before @"),
        ("https://ana:secret@example.com/", "before @"),
        ("https://127.0.0.1\\@example.com/", "backslash"),
        ("https://example.com\\.evil.example/", "backslash"),
        ("https://exa mple.com/", "space"),
        ("https://example.com/\x00", "control character"),
        ("https://example.com\x00.evil.example/", "control character"),
        ("https://example.com/\r\nHost: inside", "control character"),
        ("https://example.com/\t", "control character"),
        ("https://example.com/\u2028", "space"),
        ("https://example.com/\udcff", "control character"),
        (" https://example.com/", "space"),
        ("https://example.com/#part", "part after #"),
        ("https://example.com#@127.0.0.1/", "part after #"),
        ("https://%31%32%37.0.0.1/", "% in its host"),
        ("https://[fe80::1%25eth0]/", "% in its host"),
        ("https://[fe80::1%eth0]/", "% in its host"),
        ("https://[::1/", "names no host"),
        ("https://::1/", "names no host"),
        ("https://[12345::1]/", "no IPv6 address"),
        ("https://[127.0.0.1]/", "no IPv6 address"),
        ("https://127.1/", "is a number"),
        ("https://2130706433/", "is a number"),
        ("https://0x7f000001/", "is a number"),
        ("https://0x7f.0.0.1/", "is a number"),
        ("https://0x7f.1/", "is a number"),
        ("https://0177.0.0.1/", "is a number"),
        ("https://017700000001/", "is a number"),
        ("https://127.0.0.0x1/", "is a number"),
        ("https://1.2.3.4.5/", "is a number"),
        ("https://256.1.1.1/", "is a number"),
        ("https://0/", "is a number"),
        ("https://example.0x/", "is a number"),
        ("https://１２７.1/", "is a number"),
        ("https://①②⑦.1/", "is a number"),
        ("https://127。1/", "is a number"),
        ("https://example.com../", "can exist"),
        ("https://.example.com/", "can exist"),
        ("https://exa*mple.com/", "can exist"),
        ("https://-example.com/", "can exist"),
        (f"https://{'a' * 64}.com/", "can exist"),
        (f"https://{'a.' * 127}com/", "can exist"),
        ("https://\u200d.example/", "can exist"),
        (f"https://example.com/{'a' * 2048}", "too long"),
    ],
)  # fmt: skip
def test_a_form_that_could_be_read_in_two_ways_is_refused(given: str, reason: str) -> None:
    """Other parsers go elsewhere with these."""
    with pytest.raises(NotAllowed) as told:
        target_of(given)
    assert reason in told.value.reason


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "LOCALHOST", "localhost.", "sub.localhost", "printer.local", "metadata.google.internal",
        "router.home.arpa", "intranet", "db", "metadata", "a.localdomain", "host.docker.internal",
        "ｌocalhost", "loca\u00adlhost", "nas.lan", "wiki.corp", "x.intranet",
    ],
)  # fmt: skip
def test_a_name_of_ones_own_network_is_refused(host: str) -> None:
    with pytest.raises(NotAllowed) as told:
        target_of(f"https://{host}/hook")
    assert OWN in told.value.reason


@pytest.mark.parametrize("host", ["１２７.0.0.1", "127。0。0。1", "127.0.0.1."])
def test_digits_of_other_scripts_are_read_as_what_they_become(host: str) -> None:
    """So that the address is checked like any other literal."""
    assert target_of(f"https://{host}/").host == "127.0.0.1"
