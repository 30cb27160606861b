"""What stands between a draft and its readers: what *stops you*, and what to *think again* about."""

from dataclasses import dataclass

from bs4 import BeautifulSoup

from app.accounts import Account
from app.answers import plural
from app.base.errors import GodwitError
from app.base.fields import fill, misspelt
from app.broadcasts import RenderedMail, has_preview, no_way_out, render_mail, sample_values
from app.posts import Draft, Revision, misspelt_fields, provisional, what_stops
from app.publishing.links import Tried
from app.publishing.wanted import NO_ADDRESS

CLIPPED_AT = 102 * 1024
"""Octets of HTML: past these Gmail cuts a mail off and hides its end, the unsubscribe link with it."""
_LINK_LENGTH = 200
"""Octets that a reader's own unsubscribe link takes, in which the sample's is shorter."""


@dataclass(frozen=True)
class Checks:
    """Sentences for people. Nothing in `stops`: it can be published; nor in `stops_mail`: it can be mailed.

    `looked`: what of the links was looked at; `elsewhere` of them lead to other sites.
    """

    stops: tuple[str, ...]
    think: tuple[str, ...]
    stops_mail: tuple[str, ...] = ()
    looked: str = ""
    elsewhere: int = 0


def check(
    draft: Draft, account: Account, subject: str = "", preheader: str = "", tried: Tried | None = None
) -> Checks:
    """Look at the draft as it would go out, by the renderer that sends."""
    tried = tried or Tried()
    try:
        stops = [problem.message for problem in what_stops(draft)]
        frozen = provisional(draft)
        wrong = [
            *misspelt(subject or draft.writing.title),
            *misspelt(preheader),
            *misspelt_fields(draft.writing.markdown),
        ]
        mail = render_mail(frozen, account, subject=subject, preheader=preheader)
    except GodwitError as error:
        return Checks((error.detail,), ())
    think = [
        f"{written} is no field, so it goes out as it stands. Did you mean {meant}?"
        for written, meant in wrong
    ]
    think += [*_empty_parts(frozen.html), *tried.wrong]
    if not stops and not (preheader or frozen.excerpt).strip():
        think.append(
            "The second line in the inbox is empty. Give the post an excerpt, or write the line here."
        )
    think += [*_cut(frozen), *_too_long(mail)]
    return Checks(
        tuple(stops), tuple(dict.fromkeys(think)), _stops_mail(mail, account), tried.words, tried.elsewhere
    )


def _cut(frozen: Revision) -> list[str]:
    """Of the line below which only some may read."""
    if has_preview(frozen) and not frozen.preview_html and not frozen.excerpt:
        return [
            "Readers without access get a title and a button alone: put a paywall marker where it is cut."
        ]
    if frozen.preview_html and not has_preview(frozen):
        return [
            "A paywall line stands in the text, but who may read it is not limited: all of it is for all. "
            "Choose paying readers or a plan, or take the line out."
        ]
    return []


def _stops_mail(mail: RenderedMail, account: Account) -> tuple[str, ...]:
    found = [] if account.postal_address else [NO_ADDRESS]
    if wrong := no_way_out(mail):
        found.append(wrong)
    return tuple(found)


def _empty_parts(html: str) -> list[str]:
    page = BeautifulSoup(html, "html.parser")
    found: list[str] = []
    bare = sum(not str(one.get("alt") or "").strip() for one in page.find_all("img"))
    if bare:
        has = "has" if bare == 1 else "have"
        found.append(
            f"{plural(bare, 'picture')} {has} no description: who does not see it, gets nothing in its place."
        )
    headings = sum(not one.get_text().strip() for one in page.find_all(("h1", "h2", "h3", "h4", "h5", "h6")))
    if headings:
        found.append(f"{plural(headings, 'heading')} {'is' if headings == 1 else 'are'} empty.")
    links = [one for one in page.find_all("a") if not one.get_text().strip() and not one.find("img")]
    if links:
        found.append(
            f"{plural(len(links), 'link')} {'has' if len(links) == 1 else 'have'} no words to press."
        )
    return found


def _too_long(mail: RenderedMail) -> list[str]:
    octets = len(fill(mail.html, sample_values(), "html").encode()) + _LINK_LENGTH
    if octets <= CLIPPED_AT:
        return []
    return [
        f"The email is {octets // 1024:,} kB. Gmail cuts off what is past 102 kB and with it the "
        "unsubscribe link: shorten the post."
    ]
