"""The mail of a post: one renderer, for the send, the preview and the size in the check list."""

from dataclasses import dataclass
from typing import Literal

import css_inline
from markupsafe import Markup

from app.accounts import Account
from app.answers import rendered
from app.base import fields
from app.posts import Revision, path_of, to_html, to_text

#: Dark mode and phone sizes live in @media rules, which cannot be inlined.
_inliner = css_inline.CSSInliner(keep_at_rules=True, load_remote_stylesheets=False)

Variant = Literal["full", "preview"]


@dataclass(frozen=True)
class RenderedMail:
    """A mail with marks where readers differ (app/base/fields.py)."""

    subject: str
    text: str
    html: str


def render_mail(
    revision: Revision,
    account: Account,
    *,
    subject: str = "",
    preheader: str = "",
    live_slug: str | None = None,
    variant: Variant = "full",
) -> RenderedMail:
    """Render a revision as a mail. Subject and preheader default to title and excerpt.

    `live_slug` is where the post stands on the site, '' for nowhere; None: where the revision will.
    The variant `preview` is for readers without access: what stands above the paywall marker (the excerpt
    where nothing does) and, where the post is on the site, a button to read on.
    """
    preview = variant == "preview"
    base_url = account.site_url + "/"
    slug = revision.slug if live_slug is None else live_slug
    post_url = account.site_url + path_of(slug) if slug else ""
    context = {
        "title": fields.mark(revision.title),
        "preheader": fields.mark(preheader or revision.excerpt),
        "site_name": account.name,
        "site_url": account.site_url,
        "post_url": post_url,
        "excerpt": fields.mark(revision.excerpt),
        "cut": preview,
        "why": f"You get this because you are a reader of {account.name}.",
        "unsubscribe_url": fields.blank("unsubscribe_url"),
        "preferences_url": base_url + "me",
        "view_url": fields.blank("view_url"),
        "postal_address": account.postal_address,
        "answered": bool(account.reply_to),
    }
    written = {"fields": True, "base_url": base_url, "only_free": preview}
    words = Markup(to_html(revision.markdown, **written))  # sanitised by posts (its promise 5)
    plain = to_text(revision.markdown, **written)
    if preview and not words:
        words, plain = Markup("<p>{}</p>").format(context["excerpt"]), context["excerpt"]
    html = rendered("email/broadcast/body.html", html=words, **context)
    text = rendered("email/broadcast/body.txt", text=plain, **context)
    return RenderedMail(subject=fields.mark(subject or revision.title), text=text, html=_inliner.inline(html))


def no_way_out(mail: RenderedMail) -> str:
    """Why the mail may not leave: its HTML or text has no unsubscribe link; '' when both have one."""
    if all("unsubscribe_url" in fields.marked(body) for body in (mail.text, mail.html)):
        return ""
    return "The email would have no unsubscribe link, and so none may leave. This is our fault."


def has_preview(revision: Revision) -> bool:
    """Whether some in an audience may not read it whole. Who is in one is a subscriber."""
    return revision.access in ("paid", "plan")
