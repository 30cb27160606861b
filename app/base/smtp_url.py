"""GODWIT_SMTP_URL: `smtp://`, `smtp+starttls://` or `smtps://`, then `[user:pass@]host:port`."""

from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Literal
from urllib.parse import unquote, urlsplit

from app.base.environment import Reader

Security = Literal["plain", "starttls", "tls"]
SECURITY: dict[str, Security] = {"smtp": "plain", "smtp+starttls": "starttls", "smtps": "tls"}
_FORM = "smtp://, smtp+starttls:// or smtps://, then [user:password@]host:port"


@dataclass(frozen=True)
class SmtpServer:
    """Where SMTP hands mail over, how the way there is secured, and who we are there ('' : nobody)."""

    host: str
    port: int
    security: Security
    user: str = ""
    password: str = field(default="", repr=False)

    @property
    def on_loopback(self) -> bool:
        """Whether it is this machine."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def smtp_server(reader: Reader, name: str, *, required: bool) -> SmtpServer | None:
    """The server that `name` gives; None when unset. No problem told of it repeats the password."""
    given = reader.text(name, "")
    if not given:
        if required:
            reader.problem(name, f"is required when GODWIT_MAIL_PROVIDER is smtp: {_FORM}")
        return None
    try:
        return _read(given)
    except ValueError as wrong:
        reader.problem(name, str(wrong))
        return None


def _read(given: str) -> SmtpServer:
    """Raises ValueError, in words that hold nothing of what was given."""
    try:
        parts = urlsplit(given)
        port = parts.port
    except ValueError:
        raise ValueError(f"cannot be read; give {_FORM}") from None
    if parts.scheme not in SECURITY or not parts.hostname:
        raise ValueError(f"is not an SMTP address; give {_FORM}")
    if not port:
        raise ValueError("names no port; 587 is usual with smtp+starttls://, 465 with smtps://")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise ValueError("ends with host:port; write / ? # @ and : of a password as %2F %3F %23 %40 %3A")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if bool(user) != bool(password):
        raise ValueError("gives half a log-in; give user:password@ or neither")
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in user + password + parts.hostname):
        raise ValueError("holds a control character")
    return SmtpServer(parts.hostname, port, SECURITY[parts.scheme], user, password)
