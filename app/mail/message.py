"""One finished mail, and its bytes (RFC 5322, 2045, 2047).

Written by hand instead of `email.policy`: that folds a long List-Unsubscribe into encoded words, which
mailbox providers no longer recognise, and its refolding has let display names pass for addresses. The
standard library's parser is the independent reader in the tests.
"""

import binascii
import re
from base64 import b64encode
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from typing import Literal, get_args
from uuid import UUID

from app.base.fields import marked, scrub

MailKind = Literal["code", "confirm", "broadcast", "message"]
KINDS: tuple[MailKind, ...] = get_args(MailKind)

_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,60}")
_BREAKS = re.compile("[\x00-\x08\x0a-\x1f\x7f\x85\u2028\u2029]")
_ADDRESS = re.compile(
    r'(?:[A-Za-z0-9!#$%&\'*+/=?^_`{|}~.-]+|"(?:[^"\\\x00-\x1f\x7f]|\\[\x20-\x7e])+")@[A-Za-z0-9.-]+'
)
_MAILBOX = re.compile(r"(.*?)\s*<([^<>]*)>\s*", re.DOTALL)
_ATOMS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_OURS = {"from", "to", "cc", "bcc", "sender", "reply-to", "subject", "date", "message-id", "mime-version"}
_LINE = 76
_LONGEST_LINE = 998  # RFC 5322 2.1.1, without the line end


class UnmailableAddress(ValueError):
    """No mail can go to or come from this address as it stands; says why."""


@dataclass(frozen=True)
class Mail:
    """One mail, ready to leave: rendered, every field filled, one recipient.

    `delivery_id` is ours and names this mail for ever; `message_id` is `<…@…>`. `to` is canonical
    (app/base/addresses.py); `to_name` may be ''. `sender` and `reply_to` are `addr` or `Name <addr>`.
    `headers` are further ones, in order. `kind` and `account_id` never leave: the mailbox shows them.
    `date` is when it was made; None: when it is handed over.
    """

    delivery_id: UUID
    message_id: str
    to: str
    to_name: str
    sender: str
    reply_to: str | None
    subject: str
    text: str
    html: str | None
    headers: tuple[tuple[str, str], ...] = ()
    kind: MailKind = "message"
    account_id: int | None = None
    date: datetime | None = None


def to_bytes(mail: Mail, date: datetime) -> bytes:
    """The mail as it goes over the wire, CRLF at line ends; the same mail and date, the same bytes.

    Raises UnmailableAddress for an address, and ValueError for a header value that holds a line break or
    control character, a header that is ours to set, a literal header past 998 octets or not ASCII, a date
    without a zone, or a field that nobody filled.
    """
    if date.tzinfo is None:
        raise ValueError("the date of a mail needs a zone")
    _refuse_unfilled(mail)
    lines = [
        f"From: {mailbox_header(*split_sender(mail.sender))}",
        f"To: {mailbox_header(mail.to_name, mail.to)}",
        *([f"Reply-To: {mailbox_header(*split_sender(mail.reply_to))}"] if mail.reply_to else []),
        _unstructured("Subject", mail.subject),
        f"Date: {format_datetime(date)}",
        _literal("Message-ID", mail.message_id),
        *(_header(name, value) for name, value in mail.headers),
        "MIME-Version: 1.0",
    ]
    if mail.html is None:
        return _joined([*lines, *_part("plain", mail.text)])
    # Neither quoted-printable nor base64 can hold "=_": the boundary needs no search, and never changes.
    boundary = f"=_{mail.delivery_id.hex}"
    return _joined(
        [
            *lines,
            f'Content-Type: multipart/alternative;\r\n boundary="{boundary}"',
            "",
            f"--{boundary}",
            *_part("plain", mail.text),
            f"--{boundary}",
            *_part("html", mail.html),
            f"--{boundary}--",
            "",
        ]
    )


def mailbox_header(name: str, address: str) -> str:
    """`Name <address>` as a header value, folded when long; the name can never pass for an address.

    Raises UnmailableAddress, or ValueError for a name with a line break or control character.
    """
    _refuse_breaks("a display name", name)
    _refuse_breaks("an address", address)
    if not address.isascii():
        where, what = (
            ("domain", "its xn-- form") if address.rpartition("@")[0].isascii() else ("local part", "ASCII")
        )
        raise UnmailableAddress(
            f"the {where} of {address!r} needs {what}: servers on the way refuse anything else"
        )
    if len(address) > 320 or not _ADDRESS.fullmatch(address):
        raise UnmailableAddress(f"{address!r} is not one mail address")
    name = name.strip()
    phrase = _phrase(name)
    # A long name ends its line, so that the address stands whole on the next one.
    gap = "\r\n " if len(phrase) > 50 else " "
    return f"{phrase}{gap}<{address}>" if name else address


def split_sender(sender: str) -> tuple[str, str]:
    """Name and address of `Name <addr>`; the address is what stands in the last angle brackets."""
    found = _MAILBOX.fullmatch(sender)
    if found is None:
        return "", sender.strip()
    name = found[1].strip()
    if len(name) > 1 and name[0] == name[-1] == '"':
        name = re.sub(r"\\(.)", r"\1", name[1:-1])
    return name, found[2].strip()


def _header(name: str, value: str) -> str:
    if not _TOKEN.fullmatch(name):
        raise ValueError(f"{name!r} is not a header's name")
    if name.lower() in _OURS or name.lower().startswith("content-"):
        raise ValueError(f"the header {name} is set by the mail itself")
    if name.lower() == "list-id":
        _refuse_breaks(name, value)
        listed = _MAILBOX.fullmatch(value)
        return (
            f"{name}: {_phrase(listed[1])} <{listed[2]}>" if listed and listed[1] else _literal(name, value)
        )
    return _literal(name, value) if name.lower().startswith("list-") else _unstructured(name, value)


def _literal(name: str, value: str) -> str:
    """One unfolded line, as written: RFC 2369 and 8058 headers are recognised by their letters."""
    _refuse_breaks(name, value)
    line = f"{name}: {value}"
    if not value.isascii():
        raise ValueError(f"{name} must be ASCII")
    if len(line) > _LONGEST_LINE:
        raise ValueError(f"{name} is {len(line)} octets long; a line holds {_LONGEST_LINE}")
    return line


def _unstructured(name: str, value: str) -> str:
    """Free text: literal when it is short and plain ASCII, else encoded words."""
    _refuse_breaks(name, value)
    value = value.strip()
    if value.isascii() and "=?" not in value and len(name) + 2 + len(value) <= _LINE:
        return f"{name}: {value}"
    return f"{name}: {_encoded(value, len(name) + 2)}"


def _phrase(name: str) -> str:
    """A display name: atoms, a quoted string, or encoded words if long, not ASCII or looking encoded."""
    if not name.isascii() or "=?" in name or len(name) >= 50:
        return _encoded(name, 10)
    return name if _ATOMS.fullmatch(name) else '"' + re.sub(r'(["\\])', r"\\\1", name) + '"'


def _encoded(text: str, used: int) -> str:
    """Base64 encoded words (RFC 2047) of at most 75 octets, cut between characters, one a line."""
    words: list[str] = []
    piece = b""
    room = 36 if used < 24 else 24
    for char in text:
        octets = char.encode()
        if len(piece) + len(octets) > room:
            words.append(b64encode(piece).decode())
            piece, room = b"", 45
        piece += octets
    words.append(b64encode(piece).decode())
    return "\r\n ".join(f"=?utf-8?b?{word}?=" for word in words)


def _part(subtype: str, text: str) -> list[str]:
    """A text part. Quoted-printable keeps Latin text readable; base64 is shorter for others."""
    octets = scrub(text).replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").encode() + b"\n"
    sparse = sum(byte > 126 for byte in octets) * 4 < len(octets)
    if sparse:
        body = binascii.b2a_qp(octets, istext=True).decode().rstrip("\n").split("\n")
    else:
        whole = b64encode(octets.replace(b"\n", b"\r\n")).decode()
        body = [whole[at : at + _LINE] for at in range(0, len(whole), _LINE)]
    return [
        f"Content-Type: text/{subtype}; charset=utf-8",
        f"Content-Transfer-Encoding: {'quoted-printable' if sparse else 'base64'}",
        "",
        *body,
        "",
    ]


def _joined(lines: list[str]) -> bytes:
    return "\r\n".join(lines).encode("ascii")


def _refuse_breaks(name: str, value: str) -> None:
    if _BREAKS.search(value):
        raise ValueError(f"{name} holds a line break or control character")


def _refuse_unfilled(mail: Mail) -> None:
    values = [mail.subject, mail.text, mail.html or "", mail.sender, mail.reply_to or "", mail.to_name]
    for value in [*values, *(value for _, value in mail.headers)]:
        if left := marked(value):
            raise ValueError(f"the mail still holds unfilled fields: {', '.join(sorted(left))}")
