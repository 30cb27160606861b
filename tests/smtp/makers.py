"""An SMTP server that fails as told, and the provider that talks to it, in a line each."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from app.base.settings import SmtpServer, settings
from app.fakes import FakeSmtp
from app.mail import Mail, Outcome
from app.mail.smtp import Smtp

NEVER_LOOKED_AT = datetime(2026, 11, 30, tzinfo=UTC)


@asynccontextmanager
async def a_server(**wanted: Any) -> AsyncIterator[FakeSmtp]:
    """A fake server, listening."""
    fake = FakeSmtp(**wanted)
    await fake.start()
    try:
        yield fake
    finally:
        await fake.stop()


def in_settings(fake: FakeSmtp, monkeypatch: pytest.MonkeyPatch, **wanted: str) -> None:
    """The settings name this server; what else is wanted, without its GODWIT_."""
    for name, value in {"MAIL_PROVIDER": "smtp", "SMTP_URL": fake.url, "SEND_RATE": "0", **wanted}.items():
        monkeypatch.setenv(f"GODWIT_{name}", value)
    settings.cache_clear()


@asynccontextmanager
async def sending_to(fake: FakeSmtp, *, host: str = "127.0.0.1", **wanted: Any) -> AsyncIterator[Smtp]:
    """The provider that hands mail to it."""
    user, password = wanted.pop("user", ""), wanted.pop("password", "")
    security = wanted.pop("security", fake.security)
    made = Smtp(SmtpServer(host, wanted.pop("port", fake.port), security, user, password), **wanted)
    try:
        yield made
    finally:
        await made.aclose()


async def hand_over(smtp: Smtp, mail: Mail, *, within: float = 30.0) -> Outcome:
    """One call, which may take `within` seconds."""
    deadline = asyncio.get_running_loop().time() + within
    return await smtp.deliver([mail], batch_id=uuid4(), call_until=NEVER_LOOKED_AT, deadline=deadline)
