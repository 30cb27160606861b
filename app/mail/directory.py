"""Which providers there are; the only module that imports them."""

import re
from functools import cache

from app.base.settings import Settings, settings
from app.mail.mailbox import Mailbox
from app.mail.message import split_sender
from app.mail.provider import Provider
from app.mail.smtp import Smtp


def provider_for(wanted: Settings) -> Provider:
    """The provider that the settings choose, not yet connected.

    Raises ValueError for a name nobody knows, and for the mailbox in production: it would keep the mail here.
    """
    if wanted.mail.provider == "smtp" and wanted.mail.smtp is not None:
        return Smtp(
            wanted.mail.smtp,
            ehlo=_own_name(wanted.mail.sender),
            timeout=wanted.sending.timeout,
            dot_timeout=wanted.sending.dot_timeout,
        )
    if wanted.mail.provider != "mailbox":
        raise ValueError(
            f"GODWIT_MAIL_PROVIDER: there is no provider {wanted.mail.provider!r}; choose mailbox or smtp"
        )
    if wanted.mode == "production":
        raise ValueError(
            "GODWIT_MAIL_PROVIDER: the mailbox keeps mail here; production needs a real provider"
        )
    return Mailbox(wanted.database.worker_url)


def current_provider() -> Provider:
    """The provider of this process, one for all who hand mail over; see `provider_for`."""
    return _kept(settings())


def _own_name(sender: str) -> str:
    """How we greet a mail server: with the domain that platform mail comes from."""
    domain = split_sender(sender)[1].rpartition("@")[2]
    return domain if re.fullmatch(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*", domain) else "localhost"


@cache
def _kept(wanted: Settings) -> Provider:
    return provider_for(wanted)
