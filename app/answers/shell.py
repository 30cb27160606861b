"""What the frames of studio and site need of whoever renders a page in them."""

from dataclasses import dataclass

from app.answers.flashes import Flash


@dataclass(frozen=True)
class Shell:
    """Who is at the desk, of which account, in which section of the navigation, and what was just said.

    `section` is one of home, posts, published, emails, readers, settings; `zone` is an IANA name.
    """

    account_slug: str
    account_name: str
    site_url: str
    creator_name: str
    creator_email: str
    role: str
    section: str
    zone: str
    flash: Flash | None = None


@dataclass(frozen=True)
class SiteFrame:
    """The site around a page. `url` has no slash at its end; `zone` is an IANA name."""

    name: str
    url: str
    description: str
    feed_url: str
    locale: str
    zone: str
