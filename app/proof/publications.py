"""Publications to measure with: made, filled and mailed as people do it."""

from uuid import UUID

from app.accounts import create_account
from app.base.database import Database
from app.broadcasts import broadcast_view
from app.ledger import MailingView
from app.posts import Writing, create_post
from app.publishing import Email, Press, publish
from app.readers import Arrival, default_newsletter, import_readers

_CHUNK = 5000


async def publication(web: Database, slug: str, readers: int = 0) -> int:
    """A publication whose readers may all be mailed; answers its account's id."""
    async with web.transaction() as tx:
        made = await create_account(
            tx,
            email=f"{slug}@example.org",
            name=slug.title(),
            slug=slug,
            postal_address="4 Harbour Road, Miranda 2473, New Zealand",
        )
        newsletter = await default_newsletter(tx)
    for start in range(0, readers, _CHUNK):
        arrivals = [
            Arrival(number=n, email=f"reader{n}@{slug}.example.com", name=f"Reader {n}", state="active")
            for n in range(start, min(start + _CHUNK, readers))
        ]
        async with web.transaction(made.id) as tx:
            await import_readers(tx, arrivals, newsletter.id, "a bench")
    return made.id


async def mail_all(web: Database, account_id: int, title: str) -> UUID:
    """One press: a post on the site, and an email to every reader that starts at once; its broadcast's id."""
    async with web.transaction(account_id) as tx:
        words = 'Dear {first_name, "reader"},\n\nthe godwits are back from **Alaska**.\n'
        draft = await create_post(tx, Writing(title=title, markdown=words))
        made = await publish(tx, Press(key=title, post_id=draft.post_id, site=True, email=Email()))
    assert made.broadcast_id is not None
    return made.broadcast_id


async def mailing_of(web: Database, account_id: int, broadcast_id: UUID) -> MailingView:
    """Where the email is now."""
    async with web.transaction(account_id) as tx:
        view = await broadcast_view(tx, broadcast_id)
    assert view is not None
    return view.mailing
