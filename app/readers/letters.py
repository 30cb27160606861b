"""What every automatic mail to a reader carries, by the newsletter it is about or the account's own."""

from typing import TypedDict

from app.accounts import Account
from app.base.settings import settings
from app.mail import mailbox_header, split_sender
from app.readers.streams import Newsletter


class Signature(TypedDict):
    """The fields of `messages.Signed`."""

    to: str
    sender: str
    reply_to: str | None
    publication: str
    site_url: str
    postal_address: str


def signature(account: Account, to: str, newsletter: Newsletter | None = None) -> Signature:
    """From the newsletter's sender, or from the account's own at the platform's address."""
    name = (newsletter and newsletter.sender_name) or account.sender_name or account.name
    address = (newsletter and newsletter.from_address) or split_sender(settings().mail.sender)[1]
    return Signature(
        to=to,
        sender=mailbox_header(name, address).replace("\r\n", ""),
        reply_to=(newsletter and newsletter.reply_to) or account.reply_to,
        publication=account.name,
        site_url=account.site_url,
        postal_address=account.postal_address,
    )
