"""The plan: everything a person should know before the press, from one look at the database."""

from dataclasses import dataclass
from uuid import UUID

from app.accounts import account_of
from app.audiences import AudienceSize, size
from app.base.database import Tx
from app.base.settings import settings
from app.broadcasts import MailedBefore, mailed_before, sender_of
from app.posts import Draft, PostLine, draft_of, excerpt_of, post_line
from app.publishing.checklist import Checks, check
from app.readers import Newsletter, newsletters


@dataclass(frozen=True)
class Plan:
    """Who gets it, who not, from whom, how long it takes (`seconds` None: no limit), the check list.

    `undo_seconds` pass between the press and the start of the email.
    """

    draft: Draft
    excerpt: str
    line: PostLine
    newsletters: tuple[Newsletter, ...]
    newsletter: Newsletter
    audience: AudienceSize
    sender: str
    sender_name: str
    reply_to: str | None
    seconds: float | None
    undo_seconds: int
    mailed_before: MailedBefore | None
    checks: Checks


async def plan(tx: Tx, post_id: UUID, newsletter: str | None = None) -> Plan:
    """Look at post and audience now; `newsletter` is a slug, an unknown one or None is the default's.

    Raises NotFound.
    """
    draft = await draft_of(tx, post_id)
    account = await account_of(tx)
    known = await newsletters(tx)
    chosen = next((one for one in known if one.slug == newsletter), known[0])
    audience = await size(tx, chosen.id)
    rate = settings().sending.rate
    return Plan(
        draft=draft,
        excerpt=excerpt_of(draft),
        line=await post_line(tx, post_id),
        newsletters=tuple(known),
        newsletter=chosen,
        audience=audience,
        sender=sender_of(account, chosen),
        sender_name=chosen.sender_name or account.sender_name or account.name,
        reply_to=chosen.reply_to or account.reply_to,
        seconds=audience.will / rate if rate else None,
        undo_seconds=account.undo_seconds,
        mailed_before=await mailed_before(tx, post_id, chosen.id),
        checks=check(draft, account),
    )
