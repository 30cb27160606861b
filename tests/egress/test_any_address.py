"""Whatever is typed as an address is refused, or read by us as every other reader of addresses reads it."""

from urllib.parse import urlsplit

import httpx
from hypothesis import given, settings
from hypothesis import strategies as st

from app.egress import NotAllowed, Target, target_of

PIECES = st.sampled_from(
    [
        "https://",
        "http://",
        "HTTPS:",
        "//",
        "/",
        "\\",
        "@",
        ":",
        "?",
        "#",
        "%",
        "%00",
        "%2e",
        "[",
        "]",
        "::1",
        "127.0.0.1",
        "0x7f.1",
        "2130706433",
        "0177.0.0.1",
        "localhost",
        "example.com",
        "a.example",
        ".",
        "。",
        "１２７",
        "①",
        "ß",
        "ü",
        "xn--",
        "-",
        "_",
        " ",
        "\t",
        "\r\n",
        "\x00",
        "\u2028",
        "\u200b",
        "\ufeff",
        "\ud800",
        "443",
        "80",
        "99999",
        "user",
        "🦆",
        "fe80::1%25eth0",
        "::ffff:10.0.0.1",
        "*",
        "~",
        "|",
        "^",
        '"',
        "<",
        "`",
        "{",
    ]
)
TYPED = st.one_of(
    st.text(max_size=40).map(lambda text: f"https://{text}"),
    st.lists(PIECES, max_size=9).map("".join),
    st.lists(PIECES, max_size=7).map(lambda parts: "https://" + "".join(parts)),
    st.tuples(
        st.sampled_from(["example.com", "a.example:8443", "8.8.8.8", "[2606:4700::1]"]), st.text(max_size=30)
    ).map(lambda parts: f"https://{parts[0]}/{parts[1]}"),
)


@settings(max_examples=200, deadline=None, database=None)
@given(TYPED)
def test_an_address_is_refused_or_read_alike_by_all(typed: str) -> None:
    try:
        found = target_of(typed)
    except NotAllowed:
        return
    assert found.url.isascii()
    assert target_of(found.url) == found
    assert read_by_the_standard_library(found) == read_by_httpx(found) == (found.host, found.port)


def read_by_the_standard_library(target: Target) -> tuple[str | None, int]:
    parts = urlsplit(target.url)
    assert (parts.username, parts.password, parts.fragment) == (None, None, "")
    return parts.hostname, parts.port or (443 if target.secure else 80)


def read_by_httpx(target: Target) -> tuple[str, int]:
    url = httpx.URL(target.url)
    assert not url.userinfo
    return url.raw_host.decode().strip("[]"), url.port or (443 if target.secure else 80)
