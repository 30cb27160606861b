"""Reading the mailbox provider's table: what was handed over, newest first."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from html import unescape
from typing import Any

from app.base.database import Tx

_CODE = re.compile(r"(?<!\d)(\d{3}) ?(\d{3})(?!\d)")
_HREF = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_URL = re.compile(r"https?://[^\s<>\"']+")


@dataclass(frozen=True)
class MailFilter:
    """Which mails. `to` is a whole canonical address, `search` a part of one; '' or None: all."""

    to: str = ""
    search: str = ""
    kind: str = ""
    since: datetime | None = None
    account_id: int | None = None
    before: int | None = None


@dataclass(frozen=True)
class MailLine:
    """A mail in the list. `code` is the sign-in code in it, '' without one."""

    id: int
    kind: str
    to: str
    sender: str
    subject: str
    code: str
    received_at: datetime


@dataclass(frozen=True)
class MailView:
    """A mail exactly as it was handed over. `headers` in order, as people read them; `raw` as written."""

    id: int
    kind: str
    to: str
    sender: str
    subject: str
    text: str
    html: str | None
    headers: tuple[tuple[str, str], ...]
    raw: bytes
    received_at: datetime

    @property
    def code(self) -> str:
        """The sign-in code in it, '' without one."""
        return code_in(self.kind, self.text)

    @property
    def links(self) -> tuple[str, ...]:
        """Every address it leads to, once each: those of its HTML, then those of its text."""
        in_html = [unescape(one or other) for one, other in _HREF.findall(self.html or "")]
        in_text = [url.rstrip(".,;:!?)") for url in _URL.findall(self.text)]
        return tuple(dict.fromkeys([*(url for url in in_html if url.startswith("http")), *in_text]))


_WHERE = """
where (:to = '' or m.to_address = :to)
  and (:search = '' or strpos(m.to_address, lower(:search)) > 0)
  and (:kind = '' or m.kind = :kind)
  and (cast(:since as timestamptz) is null or m.received_at >= :since)
  and (cast(:account as bigint) is null or coalesce(m.account_id, 0) in (0, :account))
  and (cast(:before as bigint) is null or m.id < :before)
"""
_LINES = (
    """
select m.id, m.kind, m.to_address, m.sender, m.subject, m.received_at,
       case when m.kind = 'code' then m.text else '' end as text
from mailbox.mail m
"""
    + _WHERE
    + "order by m.id desc limit :most"
)
_COLUMNS = "m.id, m.kind, m.to_address, m.sender, m.subject, m.text, m.html, m.headers, m.raw, m.received_at"
_WHOLE = f"select {_COLUMNS} from mailbox.mail m {_WHERE} order by m.id desc limit :most"
_ONE = f"select {_COLUMNS} from mailbox.mail m where m.id = :id"
_COUNT = "select count(*) from mailbox.mail m" + _WHERE
_FORGET = "delete from mailbox.mail m" + _WHERE


async def mail_lines(tx: Tx, wanted: MailFilter, *, most: int = 50) -> list[MailLine]:
    """A page of mails, newest first."""
    rows = await tx.rows(_LINES, **_binds(wanted), most=most)
    return [
        MailLine(
            row.id,
            row.kind,
            row.to_address,
            row.sender,
            row.subject,
            code_in(row.kind, row.text),
            row.received_at,
        )
        for row in rows
    ]


async def mails(tx: Tx, wanted: MailFilter, *, most: int) -> list[MailView]:
    """Whole mails, newest first."""
    return [_view(row) for row in await tx.rows(_WHOLE, **_binds(wanted), most=most)]


async def mail_view(tx: Tx, mail_id: int) -> MailView | None:
    """One mail, or None."""
    row = await tx.row(_ONE, id=mail_id)
    return _view(row) if row else None


async def count_mails(tx: Tx, wanted: MailFilter) -> int:
    """How many there are, all of them."""
    return int(await tx.value(_COUNT, **_binds(wanted)))


async def forget_mails(tx: Tx, wanted: MailFilter) -> int:
    """Empty the mailbox of these; answers how many there were."""
    return await tx.execute(_FORGET, **_binds(wanted))


def code_in(kind: str, text: str) -> str:
    """The six digits in the text of a mail of kind code."""
    found = _CODE.search(text) if kind == "code" else None
    return found[1] + found[2] if found else ""


def _binds(wanted: MailFilter) -> dict[str, Any]:
    return {
        "to": wanted.to,
        "search": wanted.search,
        "kind": wanted.kind,
        "since": wanted.since,
        "account": wanted.account_id,
        "before": wanted.before,
    }


def _view(row: Any) -> MailView:
    headers: Sequence[Sequence[str]] = row.headers
    return MailView(
        id=row.id,
        kind=row.kind,
        to=row.to_address,
        sender=row.sender,
        subject=row.subject,
        text=row.text,
        html=row.html,
        headers=tuple((one[0], one[1]) for one in headers),
        raw=bytes(row.raw),
        received_at=row.received_at,
    )
