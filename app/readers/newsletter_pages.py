"""The studio's pages of newsletters: which there are, one's settings, the form for other sites."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from uuid import UUID

from litestar import Request, Response, get

from app.accounts import Desk
from app.answers import page
from app.base.errors import NotFound, Problem
from app.base.fields import one_line
from app.base.settings import settings
from app.mail import split_sender
from app.readers.flooding import Flood, floods
from app.readers.newsletter_settings import Subscribers, Typed, subscribers, typed_of
from app.readers.sign_up import LONGEST_FORM
from app.readers.streams import Newsletter, newsletter_by_slug, newsletters

#: Days of floods that are shown.
FLOOD_DAYS = 7


@dataclass(frozen=True)
class ListPage:
    """Every newsletter, how many get it, and which forms were flooded lately."""

    url: str
    newsletters: tuple[Newsletter, ...]
    counts: dict[UUID, Subscribers]
    floods: tuple[Flood, ...]
    flood_days: int = FLOOD_DAYS


@dataclass(frozen=True)
class FormCode:
    """The form for other sites, as HTML to paste; `source` is what it calls itself."""

    action: str
    source: str
    newsletter: str
    label: str

    @property
    def html(self) -> str:
        """Plain HTML: it needs no script and no style of ours."""
        address = self.action + (f"?source={quote(self.source)}" if self.source else "")
        return "\n".join(
            (
                f'<form action="{address}" method="post">',
                "  <label>Your email address",
                '    <input type="email" name="email" required autocomplete="email"></label>',
                f'  <input type="hidden" name="newsletter" value="{self.newsletter}">',
                "  <button>Subscribe</button>",
                "</form>",
            )
        )


@dataclass(frozen=True)
class NewsletterPage:
    """One newsletter's settings, or an empty form (`code` None). `url` is where it posts."""

    url: str
    list_url: str
    title: str
    typed: Typed
    usual_sender: str
    usual_from: str
    usual_reply_to: str
    code: FormCode | None = None
    preview: str = ""
    problems: tuple[Problem, ...] = ()


@get("/newsletters", name="studio.newsletters")
async def show_list(desk: Desk) -> Response[str]:
    """Which there are."""
    async with desk.transaction() as tx:
        shown = ListPage(
            desk.url("newsletters"),
            tuple(await newsletters(tx)),
            await subscribers(tx),
            tuple(await floods(tx, FLOOD_DAYS)),
        )
    return page("readers/newsletters.html", shell=desk.shell("settings"), page=shown)


@get("/newsletters/new", name="studio.newsletter.new")
async def show_new(desk: Desk) -> Response[str]:
    """An empty form."""
    return newsletter_response(desk, new_page(desk, Typed()))


@get("/newsletters/{named:str}", name="studio.newsletter")
async def show(desk: Desk, request: Request, named: str) -> Response[str]:
    """One newsletter's settings; `?source=` names the form for other sites."""
    source = one_line(request.query_params.get("source", "").replace("\0", ""))[:LONGEST_FORM]
    async with desk.transaction() as tx:
        found = await newsletter_by_slug(tx, named)
    if found is None:
        raise NotFound("There is no such newsletter.")
    return newsletter_response(desk, settings_page(desk, found, typed_of(found), source=source))


def new_page(desk: Desk, typed: Typed, problems: tuple[Problem, ...] = ()) -> NewsletterPage:
    """The empty form, or one that came back."""
    return NewsletterPage(
        url=desk.url("newsletters"),
        list_url=desk.url("newsletters"),
        title="A new newsletter",
        typed=typed,
        problems=problems,
        **_usual(desk),
    )


def settings_page(
    desk: Desk, found: Newsletter, typed: Typed, problems: tuple[Problem, ...] = (), source: str = ""
) -> NewsletterPage:
    """One newsletter's form, as it is or as it came back."""
    site = desk.account.site_url
    url = desk.url(f"newsletters/{found.slug}")
    return NewsletterPage(
        url=url,
        list_url=desk.url("newsletters"),
        title=found.name,
        typed=typed,
        problems=problems,
        code=FormCode(f"{site}/subscribe", source, found.slug, found.name),
        preview=f"{url}/welcome" if found.welcome_markdown else "",
        **_usual(desk),
    )


def newsletter_response(desk: Desk, shown: NewsletterPage, *, status: int = 200) -> Response[str]:
    """The page of one."""
    return page("readers/newsletter.html", status=status, shell=desk.shell("settings"), page=shown)


def _usual(desk: Desk) -> dict[str, Any]:
    """What stands for an empty field."""
    account = desk.account
    return {
        "usual_sender": account.sender_name or account.name,
        "usual_from": split_sender(settings().mail.sender)[1],
        "usual_reply_to": account.reply_to or "",
    }


HANDLERS: tuple[Any, ...] = (show_list, show_new, show)
