"""Test mails: the draft as it would go out, to whoever is at the desk and nobody else.

It is rendered by the renderer that sends, marked [Test] in its subject, and queued as an automatic email:
what became of it stands in that list. Of which version it was is kept, so that the publish page can say
whether the text was saved again since.
"""

from uuid import UUID

from app.accounts import Desk
from app.base import clock, ids
from app.base.database import Tx
from app.base.errors import Invalid
from app.base.fields import fill
from app.base.statements import sql
from app.broadcasts import render_mail, sample_values, sender_of
from app.messages import queue_rehearsal
from app.posts import TestMail, draft_of, provisional, what_stops
from app.publishing.preview import variant_for
from app.readers import newsletters

VARIANTS = {"full": "paid", "preview": "free", "nameless": "nameless"}
MARK = "[Test] "


async def send_test(tx: Tx, desk: Desk, post_id: UUID, variant: str = "full") -> TestMail:
    """Queue it with its cause. Raises NotFound, Invalid without a title or text, TooLarge."""
    variant = variant if variant in VARIANTS else "full"
    account, creator = desk.account, desk.creator
    draft = await draft_of(tx, post_id)
    problems = what_stops(draft)
    if problems:
        raise Invalid(problems)
    mail = render_mail(provisional(draft), account, variant=variant_for(draft, VARIANTS[variant]))
    name = "" if variant == "nameless" else creator.name
    values = {**sample_values(), "email": creator.email, "name": name}
    newsletter = (await newsletters(tx))[0]
    await queue_rehearsal(
        tx,
        to=creator.email,
        sender=sender_of(account, newsletter),
        reply_to=account.reply_to,
        subject=MARK + fill(mail.subject, values, "header"),
        text=fill(mail.text, values, "text"),
        html=fill(mail.html, values, "html"),
    )
    made = TestMail(draft.version, creator.email, variant, clock.now(), creator.name)
    await tx.execute(
        sql(__package__, "keep_test_mail"),
        account=tx.account_id,
        id=ids.new(),
        post=post_id,
        version=made.version,
        address=made.address,
        variant=made.variant,
        by=creator.id,
        by_name=made.sent_by_name,
    )
    return made
