"""Test mails: the draft as it would go out, to whoever is at the desk and nobody else.

It is rendered by the renderer that sends, marked [Test] in its subject, and queued as an automatic email:
what became of it stands in that list. Of which version it was is kept, so that the publish page can say
whether the text was saved again since. Each has AN_HOUR at most: they share the provider with readers' mail.
"""

import asyncio
from uuid import UUID

from app.accounts import Account, Desk
from app.answers import plural
from app.base import clock, ids
from app.base.database import Tx
from app.base.errors import Invalid, NotFound, TooMany
from app.base.fields import fill
from app.base.statements import sql
from app.broadcasts import RenderedMail, render_mail, sample_values, sender_of
from app.limits import refuse_over
from app.messages import queue_rehearsal
from app.posts import Draft, TestMail, draft_of, provisional, what_stops
from app.publishing.preview import variant_for
from app.readers import newsletters

VARIANTS = {"full": "paid", "preview": "free", "nameless": "nameless"}
MARK = "[Test] "
AN_HOUR = 20


async def send_test(tx: Tx, desk: Desk, post_id: UUID, variant: str = "full") -> TestMail:
    """Queue it with its cause. Raises NotFound, Invalid without a title or text, TooLarge, TooMany."""
    variant = variant if variant in VARIANTS else "full"
    account, creator = desk.account, desk.creator
    draft = await draft_of(tx, post_id)
    mail = await asyncio.to_thread(_rendered, draft, account, VARIANTS[variant])
    await _refuse_many(tx, creator.id)
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
    kept = await tx.execute(
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
    if not kept:
        raise NotFound("There is no such post.")
    return made


def _rendered(draft: Draft, account: Account, reader: str) -> RenderedMail:
    problems = what_stops(draft)
    if problems:
        raise Invalid(problems)
    return render_mail(provisional(draft), account, variant=variant_for(draft, reader))


async def _refuse_many(tx: Tx, creator_id: UUID) -> None:
    try:
        await refuse_over(tx, f"test mails {creator_id}", AN_HOUR, 3600, "hour")
    except TooMany as error:
        minutes = -(-error.retry_after // 60)
        raise TooMany(
            f"You sent yourself {AN_HOUR} test mails within an hour, the most there are. The next can go in "
            f"{plural(minutes, 'minute')}. What you wrote is saved, and the preview shows the same mail.",
            retry_after=error.retry_after,
        ) from error
