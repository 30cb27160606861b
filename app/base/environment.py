"""How one environment variable is read, and what is said when it cannot be."""

import base64
import os
import secrets
from collections.abc import Mapping
from email.utils import parseaddr
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from app.base.derived import derived_password

#: Every name that means something; README's table says what.
NAMES = (
    "DATABASE_URL",
    "GODWIT_WEB_DATABASE_URL",
    "GODWIT_WORKER_DATABASE_URL",
    "GODWIT_OPERATOR_DATABASE_URL",
    "REDIS_URL",
    "GODWIT_DATA",
    "GODWIT_MEDIA_URL",
    "GODWIT_MODE",
    "GODWIT_BASE_URL",
    "GODWIT_SITE_DOMAIN",
    "GODWIT_SECRET_KEYS",
    "GODWIT_MAIL_PROVIDER",
    "GODWIT_MAIL_FROM",
    "GODWIT_SMTP_URL",
    "GODWIT_SMTP_DOT_TIMEOUT",
    "GODWIT_SEND_RATE",
    "GODWIT_SEND_BATCH",
    "GODWIT_SEND_TIMEOUT",
    "GODWIT_TRUST_WINDOW",
    "GODWIT_WEBHOOK_TIMEOUT",
    "GODWIT_EGRESS_ALLOW",
    "GODWIT_LEASE",
    "GODWIT_SWEEP",
    "GODWIT_API_RATE",
    "GODWIT_TESTING_TOKEN",
    "GODWIT_METRICS_TOKEN",
    "GODWIT_WEB_POOL",
    "GODWIT_WORKER_POOL",
)
KEY_BYTES = 32


class SettingsError(Exception):
    """Godwit does not start with settings like these; `problems` has one line each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class Reader:
    """Reads variables and remembers what is wrong with them, so that all of it can be told at once."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._problems: list[tuple[str, str]] = []

    def problem(self, name: str, message: str) -> None:
        """Note that `name` cannot be used."""
        self._problems.append((name, message))

    def has_problem(self, name: str) -> bool:
        """Whether something is wrong with `name` already."""
        return any(found == name for found, _ in self._problems)

    def finish(self) -> None:
        """Raise SettingsError if anything was wrong."""
        if self._problems:
            raise SettingsError([f"{name}: {message}" for name, message in self._problems])

    def refuse_unknown(self) -> None:
        """A GODWIT_ name that means nothing is a slip of the pen; say so."""
        for name in sorted(self._environ):
            if name.startswith("GODWIT_") and name not in NAMES:
                self.problem(name, "is not a setting of Godwit; see the table in README")

    def text(self, name: str, default: str) -> str:
        """The value, or `default` when unset or empty."""
        return self._environ.get(name, "").strip() or default

    def required(self, name: str) -> str:
        """The value; unset is a problem."""
        value = self.text(name, "")
        if not value:
            self.problem(name, "is required")
        return value

    def choice(self, name: str, among: tuple[str, ...], default: str) -> str:
        """One of a few words."""
        value = self.text(name, default)
        if value not in among:
            self.problem(name, f"is {value!r}; choose {' or '.join(among)}")
            return default
        return value

    def number(self, name: str, default: float, least: float) -> float:
        """A number not below `least`."""
        given = self.text(name, str(default))
        try:
            value = float(given)
        except ValueError:
            self.problem(name, f"is {given!r}; give a number")
            return default
        if not least <= value < 1e9:
            self.problem(name, f"is {given}; give {least:g} or more")
            return default
        return value

    def url(self, name: str, default: str) -> str:
        """An http or https address without a path."""
        value = self.text(name, default)
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/"):
            self.problem(name, f"is {value!r}; give an address such as https://studio.example.org")
            return default
        return value

    def database_url(self, name: str, *, required: bool) -> str:
        """A PostgreSQL address, in the form asyncpg reads."""
        value = self.text(name, "")
        if not value:
            if required:
                self.problem(name, "is required (postgresql://user:password@host:port/database)")
            return ""
        parts = urlsplit(value)
        if parts.scheme not in ("postgresql", "postgres") or not parts.hostname:
            self.problem(name, "is not a PostgreSQL address (postgresql://user:password@host:port/database)")
            return ""
        return urlunsplit(parts._replace(scheme="postgresql"))

    def redis_url(self, name: str) -> str:
        """A Redis address, in the form redis-py reads."""
        value = self.required(name)
        parts = urlsplit(value)
        try:
            fits = parts.port is None or parts.port > 0
        except ValueError:
            fits = False
        whole = bool(parts.path) if parts.scheme == "unix" else bool(parts.hostname)
        if value and not (fits and whole and parts.scheme in ("redis", "rediss", "unix")):
            self.problem(name, "is not a Redis address (redis://:password@host:port/0)")
        return value

    def folder(self, name: str, default: Path) -> Path:
        """A folder's path; it is made when something is first put there."""
        value = self.text(name, str(default)).removeprefix("file://")
        if "://" in value:
            self.problem(name, f"is {value!r}; this version keeps pictures in a folder, give its path")
            return default
        return Path(value)

    def sender(self, name: str, default: str) -> str:
        """`addr` or `Name <addr>`."""
        value = self.text(name, default)
        if "@" not in parseaddr(value)[1] or any(ord(letter) < 32 for letter in value):
            self.problem(name, f"is {value!r}; give addr or Name <addr>")
            return default
        return value

    def networks(self, name: str) -> tuple[IPv4Network | IPv6Network, ...]:
        """Comma-separated networks (10.0.0.0/8) or addresses; none by default."""
        found: list[IPv4Network | IPv6Network] = []
        for given in filter(None, (one.strip() for one in self.text(name, "").split(","))):
            try:
                found.append(ip_network(given))
            except ValueError:
                self.problem(name, f"{given!r} is no network; give such as 10.1.0.0/16 or 127.0.0.1/32")
        return tuple(found)

    def keys(self, name: str) -> tuple[bytes, ...]:
        """Comma-separated base64url of 32 bytes each, newest first."""
        found: list[bytes] = []
        for given in self.text(name, "").split(","):
            if not given.strip():
                continue
            try:
                key = base64.urlsafe_b64decode(given.strip() + "=" * (-len(given.strip()) % 4))
            except ValueError:
                key = b""
            if len(key) != KEY_BYTES:
                self.problem(name, "each key is 32 bytes as base64url, separated by commas")
                return ()
            found.append(key)
        return tuple(found)


def derived_url(owner_url: str, role: str) -> str:
    """The log-in of a runtime role beside the owner's, outside production."""
    parts = urlsplit(owner_url)
    if not parts.hostname:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    port = f":{parts.port}" if parts.port else ""
    password = quote(derived_password(unquote(parts.password or ""), role), safe="")
    return urlunsplit(parts._replace(netloc=f"{role}:{password}@{host}{port}"))


def kept_secret_key(data: Path) -> bytes:
    """The key of a development installation: made once, kept in GODWIT_DATA for the owner's eyes only."""
    path = data / "secret_key"
    data.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return base64.urlsafe_b64decode(path.read_text().strip())
    with os.fdopen(handle, "w") as file:
        file.write(base64.urlsafe_b64encode(key := secrets.token_bytes(KEY_BYTES)).decode())
    return key
