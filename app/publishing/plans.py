"""The plan: everything a person should know before the press, from one look at the database."""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import parseaddr
from uuid import UUID

from app.accounts import Account, account_of
from app.audiences import AudienceSize, Segment, audience_lists, segments, size
from app.base.database import Tx
from app.base.errors import GodwitError
from app.base.settings import settings
from app.broadcasts import MailedBefore, mailed_before, sender_of
from app.ledger import sent_from
from app.posts import Draft, PostLine, TestMail, draft_of, excerpt_of, last_test_mail, post_line
from app.publishing.checklist import Checks, check
from app.publishing.links import Tried, try_links
from app.publishing.waiting import Scheduled, waiting_of
from app.readers import Newsletter, newsletters

WARMED_BY = 500
"""Readers that a domain without history can be sent to at once."""
_RATE = "select send_rate from account where id = :account"


@dataclass(frozen=True)
class Plan:
    """Who gets it, who not, from whom, how long it takes (`seconds` None: no limit), the check list.

    `lists` are the query strings of the readers behind each figure. `counted_at` is when they were counted.
    `undo_seconds` pass between the press and the start of the email. `test` is the last test mail.
    """

    draft: Draft
    excerpt: str
    line: PostLine
    newsletters: tuple[Newsletter, ...]
    newsletter: Newsletter
    segments: tuple[Segment, ...]
    segment: Segment | None
    audience: AudienceSize
    lists: dict[str, str]
    counted_at: datetime
    sender: str
    sender_name: str
    reply_to: str | None
    seconds: float | None
    undo_seconds: int
    mailed_before: MailedBefore | None
    checks: Checks
    test: TestMail | None
    waiting: Scheduled | None


async def plan(
    tx: Tx,
    post_id: UUID,
    newsletter: str | None = None,
    segment: str = "",
    *,
    subject: str = "",
    preheader: str = "",
) -> Plan:
    """Look at post and audience now; `newsletter` is a slug, an unknown one or None is the default's.

    `segment` is an id; an unknown one is everybody. Raises NotFound.
    """
    draft = await draft_of(tx, post_id)
    account = await account_of(tx)
    known = await newsletters(tx)
    chosen = next((one for one in known if one.slug == newsletter), known[0])
    listed = await segments(tx)
    part = next((one for one in listed if str(one.id) == segment), None)
    audience = await size(
        tx,
        chosen.id,
        filter=part.filter if part else None,
        access=draft.writing.access,
        plan_id=draft.writing.plan_id,
    )
    sender = sender_of(account, chosen)
    return Plan(
        draft=draft,
        excerpt=excerpt_of(draft),
        line=await post_line(tx, post_id),
        newsletters=tuple(known),
        newsletter=chosen,
        segments=tuple(listed),
        segment=part,
        audience=audience,
        lists=audience_lists(chosen.id, part.id if part else None),
        counted_at=await tx.value("select godwit_now()"),
        sender=sender,
        sender_name=chosen.sender_name or account.sender_name or account.name,
        reply_to=chosen.reply_to or account.reply_to,
        seconds=await seconds_for(tx, audience.will),
        undo_seconds=account.undo_seconds,
        mailed_before=await mailed_before(tx, post_id, chosen.id),
        checks=await _checks(tx, draft, account, sender, audience.will, (subject, preheader)),
        test=await last_test_mail(tx, post_id),
        waiting=await waiting_of(tx, post_id),
    )


async def seconds_for(tx: Tx, readers: int) -> float | None:
    """Seconds to mail so many at the present rate, the account's or the platform's; None: no limit."""
    own = await tx.value(_RATE, account=tx.account_id)
    rates = [rate for rate in (own, settings().sending.rate) if rate]
    return readers / min(rates) if rates else None


async def _checks(
    tx: Tx, draft: Draft, account: Account, sender: str, will: int, lines: tuple[str, str]
) -> Checks:
    try:
        tried = await try_links(tx, draft, account)
    except GodwitError:  # it cannot be rendered: the check list says why
        tried = Tried()
    found = await asyncio.to_thread(check, draft, account, *lines, tried)
    domain = parseaddr(sender)[1].rpartition("@")[2]
    if will > WARMED_BY and not await sent_from(tx, domain):
        words = (
            f"Nothing was sent from {domain} yet, and mail providers are wary of a domain without history. "
            f"Proposed: a segment of some {WARMED_BY} readers first, and twice as many each day after."
        )
        found = replace(found, think=(*found.think, words))
    return found
