"""What a theme is given: frozen values, addresses ready for an href."""

from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from app.accounts import Account
from app.posts import LivePost, on_screen, path_of


@dataclass(frozen=True)
class SiteView:
    """The site as each page needs it. `url` has no slash at its end."""

    name: str
    url: str
    description: str
    feed_url: str
    locale: str
    zone: str


@dataclass(frozen=True)
class PostView:
    """A post on a page; `html` is the revision's, which was sanitised when it was frozen."""

    title: str
    url: str
    html: Markup
    excerpt: str
    tags: tuple[str, ...]
    minutes: int
    published_at: datetime
    updated_at: datetime | None


def site_view(account: Account) -> SiteView:
    """The site of an account."""
    return SiteView(
        name=account.name,
        url=account.site_url,
        description=account.description,
        feed_url=account.site_url + "/feed.xml",
        locale=account.locale,
        zone=account.zone,
    )


def post_view(site: SiteView, post: LivePost) -> PostView:
    """A live post on its site."""
    return PostView(
        title=post.title,
        url=site.url + path_of(post.slug),
        html=on_screen(post.html),
        excerpt=post.excerpt,
        tags=post.tags,
        minutes=post.minutes,
        published_at=post.published_at,
        updated_at=post.updated_at,
    )
