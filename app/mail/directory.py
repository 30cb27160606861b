"""Which providers there are; the only module that imports them."""

from functools import cache

from app.base.settings import Settings, settings
from app.mail.mailbox import Mailbox
from app.mail.provider import Provider


def provider_for(wanted: Settings) -> Provider:
    """The provider that the settings choose, not yet connected.

    Raises ValueError for a name nobody knows, and for the mailbox in production: it would keep the mail here.
    """
    if wanted.mail.provider != "mailbox":
        raise ValueError(
            f"GODWIT_MAIL_PROVIDER: there is no provider {wanted.mail.provider!r}; choose mailbox"
        )
    if wanted.mode == "production":
        raise ValueError(
            "GODWIT_MAIL_PROVIDER: the mailbox keeps mail here; production needs a real provider"
        )
    return Mailbox(wanted.database.worker_url)


def current_provider() -> Provider:
    """The provider of this process, one for all who hand mail over; see `provider_for`."""
    return _kept(settings())


@cache
def _kept(wanted: Settings) -> Provider:
    return provider_for(wanted)
