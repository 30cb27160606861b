"""Which providers there are; the only module that imports them."""

from app.base.settings import Settings
from app.mail.mailbox import Mailbox
from app.mail.provider import Provider


def provider_for(settings: Settings) -> Provider:
    """The provider that the settings choose, not yet connected.

    Raises ValueError for a name nobody knows, and for the mailbox in production: it would keep the mail here.
    """
    if settings.mail.provider != "mailbox":
        raise ValueError(
            f"GODWIT_MAIL_PROVIDER: there is no provider {settings.mail.provider!r}; choose mailbox"
        )
    if settings.mode == "production":
        raise ValueError(
            "GODWIT_MAIL_PROVIDER: the mailbox keeps mail here; production needs a real provider"
        )
    return Mailbox(settings.database.worker_url)
