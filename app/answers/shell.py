"""What the frames of studio and site need of whoever renders a page in them."""

from dataclasses import dataclass
from datetime import datetime

from app.answers.flashes import Flash


@dataclass(frozen=True)
class Halt:
    """Mail is stopped, or what waited is not let go yet. `everywhere`: by an operator, for everybody.

    `holds_more`: less is stopped than is held; automatic emails are held too.
    """

    stopped: bool
    scope: str
    since: datetime
    by: str
    reason: str
    everywhere: bool
    holds_more: bool = False


@dataclass(frozen=True)
class Shell:
    """Who is at the desk, of which account, in which section of the navigation, and what was just said.

    `operator`: they also run the installation; `elsewhere`: they work on other publications too. `section` is
    one of home, posts, published, emails, readers, messages, webhooks, settings; `zone` is an IANA name;
    `halts` stand on every page until mail goes again.
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
    halts: tuple[Halt, ...] = ()
    operator: bool = False
    elsewhere: bool = False


@dataclass(frozen=True)
class Link:
    """Words that lead somewhere; `url` is fit for an href."""

    words: str
    url: str


@dataclass(frozen=True)
class SiteFrame:
    """The site around a page. `url` has no slash at its end; `zone` is an IANA name.

    `links` are the pages of its navigation; `signed_in`: a reader is, so nobody else may be shown this.
    """

    name: str
    url: str
    description: str
    feed_url: str
    locale: str
    zone: str
    links: tuple[Link, ...] = ()
    signed_in: bool = False
