"""What a theme is given: frozen values, addresses ready for an href."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from zoneinfo import ZoneInfo

import msgspec
from markupsafe import Markup

from app.answers import Link, iso
from app.posts import LivePost, LiveTitle, on_screen, path_of, slug_of
from app.site.editions import Edition
from app.site.gate import Invitation, Seen, label


@dataclass(frozen=True)
class PostView:
    """A post on a page; `html` is the revision's, which was sanitised when it was frozen.

    `label` says for whom it is kept, '' for everybody; `image` is the cover's whole address, '' without one;
    `about` is what search engines and other sites are told of it: never a word from below the paywall.
    """

    title: str
    kind: str
    url: str
    html: Markup
    excerpt: str
    seo_title: str
    about: str
    tags: tuple[Link, ...]
    minutes: int
    published_at: datetime
    updated_at: datetime | None
    cover: str
    cover_alt: str
    image: str
    label: str
    invitation: Invitation | None
    sign_in: str
    told: Markup


@dataclass(frozen=True)
class TitleView:
    """A post in the archive."""

    title: str
    url: str
    label: str
    published_at: datetime


@dataclass(frozen=True)
class YearView:
    """The posts of one year, newest first."""

    year: int
    titles: tuple[TitleView, ...]


def post_view(edition: Edition, post: LivePost, shown: Seen) -> PostView:
    """A live post as one viewer sees it."""
    url = edition.account.site_url + path_of(post.slug)
    image = whole_address(edition.account.site_url, post.cover)
    return PostView(
        title=post.title,
        kind=post.kind,
        url=url,
        html=on_screen(shown.html),
        excerpt=post.excerpt,
        seo_title=post.seo_title or post.title,
        about=post.seo_description or post.excerpt,
        tags=tuple(Link(tag, tag_path(tag)) for tag in post.tags),
        minutes=post.minutes,
        published_at=post.published_at,
        updated_at=post.updated_at,
        cover=post.cover,
        cover_alt=post.cover_alt,
        image=image,
        label=label(edition.plans, post.access, post.plan_id),
        invitation=shown.invitation,
        sign_in=f"/sign-in?next={path_of(post.slug)}",
        told=_told(edition, post, url, image),
    )


def years_of(edition: Edition, titles: Sequence[LiveTitle]) -> tuple[YearView, ...]:
    """Titles, newest first, under the years of the account's calendar."""
    zone = ZoneInfo(edition.account.zone)
    grouped = groupby(titles, lambda one: one.published_at.astimezone(zone).year)
    return tuple(
        YearView(
            year,
            tuple(
                TitleView(
                    one.title,
                    path_of(one.slug),
                    label(edition.plans, one.access, one.plan_id),
                    one.published_at,
                )
                for one in those
            ),
        )
        for year, those in grouped
    )


def tag_path(tag: str) -> str:
    """Where the posts with a tag are listed."""
    return "/tag" + path_of(slug_of(tag) or "-")


def whole_address(site_url: str, address: str) -> str:
    """An address within the site as a whole one: it is read elsewhere."""
    return site_url + address if address.startswith("/") and not address.startswith("//") else address


def _told(edition: Edition, post: LivePost, url: str, image: str) -> Markup:
    """schema.org's description for search engines, as a block of data that no browser runs."""
    by = {"@type": "Organization", "name": edition.account.name, "url": edition.account.site_url + "/"}
    told: dict[str, object] = {
        "@context": "https://schema.org",
        "@type": "BlogPosting" if post.kind == "post" else "WebPage",
        "headline": post.seo_title or post.title,
        "url": url,
        "datePublished": iso(post.published_at),
        "dateModified": iso(post.updated_at or post.published_at),
        "author": by,
        "publisher": by,
    }
    if about := post.seo_description or post.excerpt:
        told["description"] = about
    if image:
        told["image"] = image
    if post.access != "everyone":
        told["isAccessibleForFree"] = False
        told["hasPart"] = {
            "@type": "WebPageElement",
            "isAccessibleForFree": False,
            "cssSelector": ".for-readers",
        }
    # `<` is the one character that could end the element; a script separator must not end a line of script.
    words = msgspec.json.encode(told).decode()
    for letter in ("<", "\u2028", "\u2029"):
        words = words.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(f'<script type="application/ld+json">{words}</script>')
