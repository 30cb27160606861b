"""How a post will look, by the renderers that publish and send; nothing is stored."""

from app.accounts import Account
from app.base.fields import fill
from app.broadcasts import render_mail, sample_values
from app.posts import Draft, provisional


def site_preview(draft: Draft) -> str:
    """The post's body as the site will show it: sanitised HTML. Raises Invalid, TooLarge."""
    return provisional(draft).html


def mail_preview(draft: Draft, account: Account, *, named: bool = True) -> str:
    """The whole mail as a reader gets it, one with a name or one without. Raises Invalid, TooLarge."""
    mail = render_mail(provisional(draft), account)
    return fill(mail.html, sample_values(nameless=not named), "html")
