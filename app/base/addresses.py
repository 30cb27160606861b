"""One canonical form for every address: the key of every store, look-up and unique index.

    "  Anna+News@BÜCHER.example "  →  "anna+news@xn--bcher-kva.example"

- Space at the ends goes, also the invisible kinds that pasting brings along.
- The local part is lower-cased. RFC 5321 lets a host tell capitals apart; none that people
  use does, and two readers who differ in a capital are one person mailed twice.
- The domain becomes its A-label by UTS-46 (non-transitional), so that `bücher.example` and
  `xn--bcher-kva.example` are one; `display` shows the letters again.
- Plus tags and dots stay: `anna+news@…` is the address she gave, and may be where she filters.
- Apostrophes and the other signs RFC 5322 allows outside quotes stay (`o'brien@…`).
- A quoted local part loses quotes it does not need (`"anna"@…` is `anna@…`) and keeps those it
  does (`"anna smith"@…`); so split an address at its last `@` only.
- A local part outside ASCII is refused: it can only be mailed where every server on the way
  speaks SMTPUTF8, and we promise no delivery that we cannot make.
- Domains kept for tests (`.example`, `.test`, `localhost`) are addresses like any other. A
  domain needs a dot, `localhost` excepted: `anna@gmail` is a slip of the pen.
"""

import json
import re
from functools import lru_cache

import idna
from email_validator import EmailNotValidError, validate_email

from app.base.errors import Invalid

LONGEST = 254
"""Octets of a whole address, domain as A-label (RFC 5321 4.5.3.1.3, less its angle brackets)."""

THIS_ADDRESS = "this address"
"""What stands in words that may not name it."""

_LONGEST_LOCAL = 64  # RFC 5321 4.5.3.1.1
_BLANKS = " \t\r\n\v\f\u00a0\u2007\u202f\u3000\u200b\u200c\u200d\u2060\ufeff"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")


class AddressError(Invalid):
    """Not an address that mail can go to; `detail` says what is wrong and what to do."""


def canonical(text: str) -> str:
    """The one form under which this address is kept; `canonical(canonical(x)) == canonical(x)`.

    Raises AddressError with a sentence for the person who typed it.
    """
    address = text.strip(_BLANKS)
    _refuse_what_is_no_single_address(address)
    local, _, domain = address.rpartition("@")
    name = _local(local.lower())
    host = _domain(domain)
    whole = f"{name}@{host}"
    if len(whole) > LONGEST:
        raise AddressError(f"This address is {len(whole)} characters long; the most is {LONGEST}.")
    return whole


def same_address(typed: str, address: str) -> bool:
    """Whether what was typed, in whichever spelling, is this canonical address."""
    try:
        return canonical(typed) == address
    except AddressError:
        return False


def display(address: str) -> str:
    """A canonical address as people read it, with its domain's own letters.

    `canonical(display(x)) == x` for every canonical x. Text that is no canonical address comes
    back as it is: showing something is never a reason to fail.
    """
    local, at, domain = address.rpartition("@")
    if not at or "xn--" not in domain:
        return address
    try:
        return f"{local}@{idna.decode(domain)}"
    except (idna.IDNAError, UnicodeError):
        return address


def written(address: str) -> str:
    """A pattern, for Python and PostgreSQL, of a canonical address wherever it stands in a text or in JSON.

    Compare without regard to capitals.
    """
    shown = {address, display(address)}
    quoted = {json.dumps(one, ensure_ascii=False)[1:-1] for one in shown}
    twice = {json.dumps(one, ensure_ascii=False)[1:-1] for one in quoted}
    return "|".join(re.escape(one) for one in sorted(shown | quoted | twice, key=len, reverse=True))


def without(text: str, address: str) -> str:
    """The text with other words where it names a canonical address."""
    return re.sub(written(address), THIS_ADDRESS, text, flags=re.IGNORECASE) if "@" in text else text


def _refuse_what_is_no_single_address(address: str) -> None:
    """Names the usual slips in their own words, before the grammar is asked."""
    if not address:
        raise AddressError("The address is empty. Write one like anna@example.com.")
    if _CONTROL.search(address):
        raise AddressError("The address holds an invisible control character or line break. Type it anew.")
    if len(address) > LONGEST:
        raise AddressError(f"This address is {len(address)} characters long; the most is {LONGEST}.")
    bare = _QUOTED.sub("q", address)
    if "@" not in bare:
        raise AddressError(f"“{address}” has no @. Write an address like anna@example.com.")
    if bare.count("@") > 1:
        raise AddressError(f"“{address}” has more than one @. Give one address at a time.")
    if "<" in bare or ">" in bare:
        raise AddressError(f"“{address}” has a name around it. Give only the address, without name and < >.")
    if any(sign.isspace() for sign in bare):
        raise AddressError(f"“{address}” has a space inside. Take the space out.")


@lru_cache(maxsize=4096)
def _local(local: str) -> str:
    if not local:
        raise AddressError("Nothing stands before the @. Write an address like anna@example.com.")
    strange = next((sign for sign in local if not sign.isascii()), None)
    if strange is not None:
        raise AddressError(
            f"“{strange}” stands before the @, where mail takes only plain letters (a–z), digits and signs."
            " Give an address without it."
        )
    if len(local) > _LONGEST_LOCAL:
        raise AddressError(f"{len(local)} characters stand before the @; the most is {_LONGEST_LOCAL}.")
    try:
        # The library judges the part before the @ alone: it refuses whole domains that tests need.
        checked = validate_email(
            f"{local}@example.com", check_deliverability=False, allow_smtputf8=False, allow_quoted_local=True
        )
    except EmailNotValidError as error:
        raise AddressError(f"“{local}” cannot stand before the @: {error} Check it for a slip.") from error
    return checked.local_part


@lru_cache(maxsize=4096)
def _domain(domain: str) -> str:
    if not domain:
        raise AddressError("Nothing stands after the @. Write an address like anna@example.com.")
    wrong = AddressError(f"“{domain}”, after the @, is not the name of a mail domain. Check it for a slip.")
    if domain.startswith("["):
        raise AddressError("A number in brackets stands after the @. Give an address with a domain name.")
    try:
        # A pasted label is decoded and encoded again: two spellings of one name must meet.
        host = idna.encode(domain, uts46=True).decode("ascii")
        settled = idna.encode(idna.decode(host), uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError) as error:
        raise wrong from error
    if host != settled or not all(_LABEL.fullmatch(label) for label in host.split(".")):
        raise wrong
    if "." not in host and host != "localhost":
        raise AddressError(f"“{domain}”, after the @, has no ending. Did you mean {domain}.com?")
    if host.rpartition(".")[2].isdigit():
        raise wrong
    return host
