"""What a theme is given: frozen values, addresses ready for an href."""

from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from app.answers import SiteFrame
from app.posts import LivePost, on_screen, path_of


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


def post_view(site: SiteFrame, post: LivePost) -> PostView:
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
