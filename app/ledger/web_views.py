"""The web view of a copy: the mail in a browser, for whoever has its link.

Subject and body are those frozen with the mailing, the variant and the address those of the copy. The name is
the reader's of today: what a batch kept of names is forgotten once it is settled.
"""

from dataclasses import dataclass
from uuid import UUID

from app.base import fields, tokens
from app.base.database import Tx
from app.ledger.contents import Blanks, content_of, values_of

_COPY = """
select s.mailing_id, s.variant, s.address, r.name from batch b
join send s on s.account_id = b.account_id and s.mailing_id = b.mailing_id and s.batch_id = b.id
join reader r on r.account_id = s.account_id and r.id = s.reader_id
where b.account_id = :account and b.id = :batch and s.reader_id = :reader and s.address is not null
"""


@dataclass(frozen=True)
class WebView:
    """A copy as its reader got it."""

    subject: str
    html: str


async def web_view(tx: Tx, token: str) -> WebView | None:
    """The copy that a link in its mail names; None when it is not ours, or its reader was erased."""
    match tokens.verify("web_view", token):
        case (int() as account, UUID() as batch_id, UUID() as reader_id) if account == tx.account_id:
            row = await tx.row(_COPY, account=account, batch=batch_id, reader=reader_id)
        case _:
            return None
    if row is None:
        return None
    content = await content_of(tx, row.mailing_id)
    values = values_of(content, batch_id, Blanks(reader_id, row.address, row.name))
    html = content.bodies(row.variant)[1]
    return WebView(fields.fill(content.subject, values, "header"), fields.fill(html, values, "html"))
