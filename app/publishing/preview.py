"""How a post will look, by the renderers that publish and send; nothing is stored.

Three readers stand for all: one *with access*, a *free* one (no plan, not signed in), one without a *name*.
"""

from html import escape
from typing import Literal

from app.accounts import Account
from app.base.fields import fill
from app.broadcasts import render_mail, sample_values
from app.posts import Draft, Writing, provisional, to_html

READERS = ("paid", "free", "nameless")
_READ_ON = "<p><strong>Here a free reader is asked to subscribe or to take a plan.</strong></p>"


def reader_of(given: str) -> str:
    """One of READERS; who may read it when nobody is named."""
    return given if given in READERS else READERS[0]


def words_for(writing: Writing, reader: str = "paid") -> str:
    """The text as the site will show it to that reader: sanitised HTML. Raises Invalid, TooLarge."""
    if reader != "free" or writing.access == "everyone":
        return to_html(writing.markdown, fields=False)
    above = to_html(writing.markdown, fields=False, only_free=True)
    if not above.strip() and writing.excerpt:
        above = f"<p>{escape(writing.excerpt)}</p>"
    return above + _READ_ON


def variant_for(draft: Draft, reader: str) -> Literal["full", "preview"]:
    """Which of the two mails that reader gets."""
    return "preview" if reader == "free" and draft.writing.access != "everyone" else "full"


def mail_preview(draft: Draft, account: Account, *, reader: str = "paid") -> str:
    """The whole mail as that reader gets it. Raises Invalid, TooLarge."""
    mail = render_mail(provisional(draft), account, variant=variant_for(draft, reader))
    return fill(mail.html, sample_values(nameless=reader == "nameless"), "html")
