"""Settings: the environment, read once into one frozen tree.

Whatever is wrong or unknown is found before anything starts, and all of it is listed at
once (`SettingsError.problems`). The names, their defaults and meanings stand in
README's table, which a test compares with `NAMES`.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Literal, cast
from urllib.parse import urlsplit

from app.base.environment import NAMES, Reader, SettingsError, derived_url, kept_secret_key
from app.base.smtp_url import SmtpServer, smtp_server

__all__ = [
    "NAMES",
    "DatabaseSettings",
    "MailSettings",
    "SendingSettings",
    "Settings",
    "SettingsError",
    "SmtpServer",
]

Mode = Literal["development", "production", "testing"]
DEFAULT_RATES = {"mailbox": 0.0, "smtp": 10.0, "resend": 100.0, "mailgun": 1000.0}
DEFAULT_BATCHES = {"mailbox": 100, "smtp": 1, "resend": 100, "mailgun": 1000}


@dataclass(frozen=True)
class DatabaseSettings:
    """Where the facts are, as each role reaches them. Pool sizes are connections a process."""

    owner_url: str
    web_url: str
    worker_url: str
    operator_url: str
    web_pool: int
    worker_pool: int


@dataclass(frozen=True)
class MailSettings:
    """Who hands mail over, and from whom platform mail comes. `smtp` is where, when it is SMTP."""

    provider: str
    sender: str
    smtp: SmtpServer | None = None


@dataclass(frozen=True)
class SendingSettings:
    """How fast mail goes and how long is waited; times in seconds, `rate` in sends a second (0: no limit).

    `dot_timeout` is how long an answer may still come once a call has done all it can (SMTP's final dot; 0
    elsewhere). A call's own job, in the queue `sends`, is held for `sends_lease`, which outlives both.
    """

    rate: float
    batch: int
    timeout: float
    trust_window: float
    lease: float
    sweep: float
    webhook_timeout: float
    dot_timeout: float = 0.0

    @property
    def sends_lease(self) -> float:
        """How long a job is held that hands over copies: a tenth more than its longest call, and 15 s."""
        if not self.dot_timeout:
            return self.lease
        return max(self.lease, (self.timeout + self.dot_timeout + 15) / 0.9)


@dataclass(frozen=True)
class Settings:
    """Everything this installation was told."""

    mode: Mode
    data: Path
    media: Path
    base_url: str
    site_domain: str
    redis_url: str
    secret_keys: tuple[bytes, ...]
    database: DatabaseSettings
    mail: MailSettings
    sending: SendingSettings
    api_rate: float
    testing_token: str
    metrics_token: str
    egress_allow: tuple[IPv4Network | IPv6Network, ...] = ()

    @property
    def limits_off(self) -> bool:
        """Whether sign-in and API limits are lifted (testing mode)."""
        return self.mode == "testing"

    @property
    def is_https(self) -> bool:
        """Whether people reach the studio over TLS."""
        return self.base_url.startswith("https:")

    def site_url(self, slug: str) -> str:
        """The address of an account's site: its own host, the scheme and port of the studio."""
        base = urlsplit(self.base_url)
        port = f":{base.port}" if base.port else ""
        return f"{base.scheme}://{slug}.{self.site_domain}{port}"


@cache
def settings() -> Settings:
    """The process's settings, read at the first call. Raises SettingsError with every problem."""
    return load(os.environ)


def load(environ: Mapping[str, str]) -> Settings:
    """Read `environ`. Raises SettingsError, which lists every problem at once."""
    reader = Reader(environ)
    reader.refuse_unknown()
    mode = cast(Mode, reader.choice("GODWIT_MODE", ("development", "production", "testing"), "development"))
    data = Path(reader.text("GODWIT_DATA", ".data"))
    provider = reader.choice("GODWIT_MAIL_PROVIDER", ("mailbox", "smtp"), "mailbox")
    if mode == "production" and provider == "mailbox":
        reader.problem("GODWIT_MAIL_PROVIDER", "mailbox keeps mail here; production needs another")
    found = Settings(
        mode=mode,
        data=data,
        media=reader.folder("GODWIT_MEDIA_URL", data / "media"),
        base_url=reader.url("GODWIT_BASE_URL", "http://localhost:8000").rstrip("/"),
        site_domain=reader.text("GODWIT_SITE_DOMAIN", "localhost"),
        redis_url=reader.redis_url("REDIS_URL"),
        secret_keys=_secret_keys(reader, mode, data),
        database=_database(reader, mode),
        mail=_mail(reader, mode, provider),
        sending=_sending(reader, provider),
        api_rate=reader.number("GODWIT_API_RATE", 50, least=0),
        testing_token=reader.text("GODWIT_TESTING_TOKEN", ""),
        metrics_token=reader.text("GODWIT_METRICS_TOKEN", ""),
        egress_allow=reader.networks("GODWIT_EGRESS_ALLOW"),
    )
    if mode == "production" and found.egress_allow:
        reader.problem(
            "GODWIT_EGRESS_ALLOW", "is for trying things out; production calls public addresses only"
        )
    for name, token in (
        ("GODWIT_TESTING_TOKEN", found.testing_token),
        ("GODWIT_METRICS_TOKEN", found.metrics_token),
    ):
        if token and len(token) < 32:
            reader.problem(name, "give 32 characters or more")
    reader.finish()
    return found


def _database(reader: Reader, mode: Mode) -> DatabaseSettings:
    owner = reader.database_url("DATABASE_URL", required=mode != "production")
    urls: dict[str, str] = {}
    for role in ("web", "worker", "operator"):
        name = f"GODWIT_{role.upper()}_DATABASE_URL"
        given = reader.database_url(name, required=mode == "production")
        if given and given == owner:
            reader.problem(name, "must not be the owner's log-in (DATABASE_URL)")
        urls[role] = given or derived_url(owner, f"godwit_{role}")
    return DatabaseSettings(
        owner_url=owner,
        web_url=urls["web"],
        worker_url=urls["worker"],
        operator_url=urls["operator"],
        web_pool=int(reader.number("GODWIT_WEB_POOL", 10, least=1)),
        worker_pool=int(reader.number("GODWIT_WORKER_POOL", 10, least=2)),
    )


def _mail(reader: Reader, mode: Mode, provider: str) -> MailSettings:
    smtp = smtp_server(reader, "GODWIT_SMTP_URL", required=provider == "smtp")
    if mode == "testing" and provider == "smtp" and smtp and not smtp.on_loopback:
        reader.problem("GODWIT_SMTP_URL", "must be on this machine (127.0.0.1) in testing mode")
    return MailSettings(provider, reader.sender("GODWIT_MAIL_FROM", "godwit@localhost"), smtp)


def _sending(reader: Reader, provider: str) -> SendingSettings:
    timeout = reader.number("GODWIT_SEND_TIMEOUT", 30, least=1)
    webhook = reader.number("GODWIT_WEBHOOK_TIMEOUT", 15, least=1)
    found = SendingSettings(
        rate=reader.number("GODWIT_SEND_RATE", DEFAULT_RATES[provider], least=0),
        batch=int(reader.number("GODWIT_SEND_BATCH", DEFAULT_BATCHES[provider], least=1)),
        timeout=timeout,
        trust_window=reader.number("GODWIT_TRUST_WINDOW", 1800, least=1),
        lease=reader.number("GODWIT_LEASE", 60, least=1),
        sweep=reader.number("GODWIT_SWEEP", 1, least=0.05),
        webhook_timeout=webhook,
        dot_timeout=reader.number("GODWIT_SMTP_DOT_TIMEOUT", 600, least=1) if provider == "smtp" else 0.0,
    )
    if provider == "smtp" and found.batch != 1:
        reader.problem("GODWIT_SEND_BATCH", "SMTP takes one mail a call; leave it out, or give 1")
    if found.trust_window < 10 * timeout:
        reader.problem("GODWIT_TRUST_WINDOW", f"must be at least {10 * timeout:g} (10 × GODWIT_SEND_TIMEOUT)")
    if found.lease <= max(timeout, webhook) + 5:
        reader.problem(
            "GODWIT_LEASE",
            f"must be more than {max(timeout, webhook) + 5:g} "
            "(5 over the longer of GODWIT_SEND_TIMEOUT and GODWIT_WEBHOOK_TIMEOUT)",
        )
    return found


def _secret_keys(reader: Reader, mode: Mode, data: Path) -> tuple[bytes, ...]:
    keys = reader.keys("GODWIT_SECRET_KEYS")
    if keys or reader.has_problem("GODWIT_SECRET_KEYS"):
        return keys
    if mode == "production":
        reader.problem("GODWIT_SECRET_KEYS", "is required in production: 32 random bytes as base64url")
        return ()
    try:
        return (kept_secret_key(data),)
    except OSError as error:
        reader.problem("GODWIT_DATA", f"{data} cannot be used ({error.strerror}); choose another folder")
        return ()
