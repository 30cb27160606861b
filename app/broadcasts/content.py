"""The mail of a post: one renderer, for the send, the preview and the size in the check list."""

from dataclasses import dataclass

import css_inline
from markupsafe import Markup

from app.accounts import Account
from app.answers import rendered
from app.base import fields
from app.posts import Revision, path_of, to_html, to_text

#: Dark mode and phone sizes live in @media rules, which cannot be inlined.
_inliner = css_inline.CSSInliner(keep_at_rules=True, load_remote_stylesheets=False)


@dataclass(frozen=True)
class RenderedMail:
    """A mail with marks where readers differ (app/base/fields.py)."""

    subject: str
    text: str
    html: str


def render_mail(
    revision: Revision, account: Account, *, subject: str = "", preheader: str = "", on_site: bool = True
) -> RenderedMail:
    """Render a revision as a mail. Subject and preheader default to title and excerpt."""
    context = {
        "title": fields.mark(revision.title),
        "preheader": fields.mark(preheader or revision.excerpt),
        "site_name": account.name,
        "site_url": account.site_url,
        "post_url": account.site_url + path_of(revision.slug) if on_site else "",
        "why": f"You get this because you are a reader of {account.name}.",
        "unsubscribe_url": fields.blank("unsubscribe_url"),
        "postal_address": account.postal_address,
        "answered": bool(account.reply_to),
    }
    words = Markup(
        to_html(revision.markdown, fields=True, base_url=account.site_url + "/")
    )  # sanitised by posts (its promise 5)
    html = rendered("email/broadcast/body.html", html=words, **context)
    text = rendered(
        "email/broadcast/body.txt",
        text=to_text(revision.markdown, fields=True, base_url=account.site_url + "/"),
        **context,
    )
    return RenderedMail(subject=fields.mark(subject or revision.title), text=text, html=_inliner.inline(html))
