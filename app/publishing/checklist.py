"""What stands between a draft and its readers: what *stops you*, and what to *think again* about."""

from dataclasses import dataclass

from app.accounts import Account
from app.base.errors import GodwitError
from app.base.fields import misspelt
from app.broadcasts import render_mail
from app.posts import Draft, misspelt_fields, provisional, what_stops

CLIPPED_AT = 102 * 1024
"""Bytes of HTML: past these Gmail cuts a mail off and hides its end, the unsubscribe link with it."""


@dataclass(frozen=True)
class Checks:
    """Sentences for people. Nothing in `stops`: it can be published."""

    stops: tuple[str, ...]
    think: tuple[str, ...]


def check(draft: Draft, account: Account, subject: str = "", preheader: str = "") -> Checks:
    """Look at the draft as it would go out, by the renderer that sends."""
    try:
        stops = [problem.message for problem in what_stops(draft)]
        wrong = [
            *misspelt(subject or draft.writing.title),
            *misspelt(preheader),
            *misspelt_fields(draft.writing.markdown),
        ]
        mail = render_mail(provisional(draft), account, subject=subject, preheader=preheader)
    except GodwitError as error:
        return Checks((error.detail,), ())
    think = [
        f"{written} is no field, so it goes out as it stands. Did you mean {meant}?"
        for written, meant in wrong
    ]
    octets = len(mail.html.encode())
    if octets > CLIPPED_AT:
        think.append(
            f"The email is {octets // 1024:,} kB. Gmail cuts off what is past 102 kB and with it the "
            "unsubscribe link: shorten the post."
        )
    if not account.postal_address:
        think.append("Your postal address is missing. Many countries require one at the foot of each email.")
    return Checks(tuple(stops), tuple(dict.fromkeys(think)))
