"""Where a request goes: an address on the web, taken apart once, so that it cannot be read in two ways.

Parsers differ about `@`, `\\`, spaces and `%` in a host; so an address with any of them there is refused
before it is parsed, and what is called is put together anew from its parts.
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import quote

import idna

from app.egress.addresses import Address
from app.egress.refusals import NotAllowed

MOST_LETTERS = 2048
_PORTS = {"https": 443, "http": 80}
_FORM = re.compile(r"(https?)://([^/?#]*)([/?][^#]*)?", re.IGNORECASE)
_SIX = re.compile(r"\[([0-9a-f:.]+)\](?::([0-9]{1,5}))?", re.IGNORECASE)
_NAME = re.compile(r"([^:\[\]]+)(?::([0-9]{1,5}))?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_UNCLEAR = re.compile(r"[\x00-\x20\x7f\\\ud800-\udfff]|\s")
_AS_IS = "%/?:@!$&'()*+,;=~[]-._"
#: Names that mean a machine or a network of one's own (RFC 6761, 6762, 8375; routers, clouds).
INSIDE_NAMES = (
    "localhost", "local", "internal", "home.arpa", "localdomain",
    "intranet", "private", "corp", "home", "lan",
)  # fmt: skip

USE = "Use an address such as https://example.com/hook."


@dataclass(frozen=True)
class Target:
    """A whole address and its parts; `host` is a lower-case name (IDN: xn--), or a literal without [ ]."""

    url: str
    host: str
    port: int

    @property
    def secure(self) -> bool:
        """Whether it is https."""
        return self.url.startswith("https:")

    @property
    def literal(self) -> Address | None:
        """The host when it is an address already."""
        return _literal(self.host)


def target_of(url: str) -> Target:
    """Read `url`. Looks nothing up. Raises NotAllowed: a form that could be read in two ways, or a name that
    means a network of one's own."""
    if len(url) > MOST_LETTERS:
        raise NotAllowed(f"The address is too long: {MOST_LETTERS:,} letters at most.")
    if _UNCLEAR.search(url):
        raise NotAllowed(f"The address has a space, a backslash or a control character in it. {USE}")
    if "#" in url:
        raise NotAllowed("The address has a part after #, which is never sent. Leave that out.")
    form = _FORM.fullmatch(url)
    if form is None:
        raise NotAllowed(f"The address must begin with https://. {USE}")
    scheme, authority, rest = form[1].lower(), form[2], form[3] or "/"
    host, port = _host_and_port(authority, scheme)
    shown = f"[{host}]" if ":" in host else host
    shown += "" if port == _PORTS[scheme] else f":{port}"
    rest = quote(rest if rest.startswith("/") else f"/{rest}", safe=_AS_IS)
    return Target(f"{scheme}://{shown}{rest}", host, port)


def _host_and_port(authority: str, scheme: str) -> tuple[str, int]:
    if "@" in authority:
        raise NotAllowed("The address has a name or a password before @. Leave that out.")
    if "%" in authority:
        raise NotAllowed(f"The address has a % in its host. {USE}")
    parts = _SIX.fullmatch(authority) or _NAME.fullmatch(authority)
    if parts is None:
        raise NotAllowed(f"The address names no host that Godwit can read. {USE}")
    port = int(parts[2]) if parts[2] else _PORTS[scheme]
    if not 0 < port < 65536:
        raise NotAllowed("The address has a port that does not exist: 1 to 65535 do.")
    return (_six(parts[1]) if authority.startswith("[") else _name(parts[1])), port


def _six(given: str) -> str:
    try:
        return str(IPv6Address(given))
    except ValueError:
        raise NotAllowed("What stands in [ ] in the address is no IPv6 address.") from None


def _name(given: str) -> str:
    """The host as it is looked up, or a dotted quad."""
    try:
        name = given if given.isascii() else idna.encode(given, uts46=True, transitional=False).decode()
    except UnicodeError:
        raise NotAllowed("The host in the address is not a name that can exist.") from None
    name = name.lower().removesuffix(".")
    labels = name.split(".")
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise NotAllowed("The host in the address is not a name that can exist.")
    if _NUMBER.fullmatch(labels[-1]):
        if _literal(name) is None:
            raise NotAllowed("The host in the address is a number. Use a name, or four numbers with dots.")
        return name
    if len(labels) == 1 or any(name == inside or name.endswith(f".{inside}") for inside in INSIDE_NAMES):
        raise NotAllowed(NOT_PUBLIC)
    return name


def _literal(host: str) -> Address | None:
    try:
        return IPv6Address(host) if ":" in host else IPv4Address(host)
    except ValueError:
        return None


#: One sentence for every address that is not public, so that it tells nothing of what is there.
NOT_PUBLIC = "The address is not one that Godwit may call: it must lead to a server on the public internet."
