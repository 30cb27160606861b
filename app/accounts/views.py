"""What the pages of this slice show, and how their parts are put together again when a form comes back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from litestar import Response

from app.accounts.profile import Profile, undo_time, zones
from app.accounts.queries import Account, api_keys, team
from app.accounts.visitors import Desk
from app.answers import page, span
from app.base.errors import Problem
from app.base.settings import settings

#: The undo times (s) that the settings offer.
UNDO_TIMES: tuple[int, ...] = (0, 10, 30, 60, 300, 600)


@dataclass(frozen=True)
class SignInPage:
    """What templates/accounts/sign_in.html needs; `next` is where to go afterwards, `paused` as below."""

    email: str = ""
    next: str = ""
    error: str = ""
    paused: bool = False


@dataclass(frozen=True)
class CodePage:
    """What templates/accounts/code.html needs; `dead` when only a new code helps.

    `paused`: all mail is stopped, so no code is on its way (M2).
    """

    email: str
    code: str = ""
    next: str = ""
    error: str = ""
    dead: bool = False
    paused: bool = False


@dataclass(frozen=True)
class FirstRunPage:
    """What templates/accounts/first_run.html needs: what was typed, and what is wrong with it."""

    token: str
    base_url: str
    site_ending: str
    email: str = ""
    creator_name: str = ""
    name: str = ""
    slug: str = ""
    postal_address: str = ""
    problems: tuple[Problem, ...] = ()


def first_run_page(token: str, **typed: Any) -> FirstRunPage:
    """The first run's form, empty or as it was typed."""
    told = settings()
    ending = told.site_url("x").split("://x", 1)[1]
    return FirstRunPage(token=token, base_url=told.base_url, site_ending=ending, **typed)


async def settings_page(
    desk: Desk, shown: Account | Profile, problems: Sequence[Problem] = ()
) -> Response[Any]:
    """The settings, as they are or as they were typed; with problems, status 422."""
    async with desk.transaction() as tx:
        keys, members = await api_keys(tx), await team(tx)
    return page(
        "accounts/settings.html",
        status=422 if problems else 200,
        shell=desk.shell("settings"),
        account=shown,
        keys=keys,
        members=members,
        problems=problems,
        undo_times=_undo_times(undo_time(str(shown.undo_seconds))),
        zones=sorted(zones()),
    )


def _undo_times(chosen: int | None) -> list[tuple[str, str]]:
    """What the settings offer, and in its place among it what is chosen, however it came to be."""
    offered = {*UNDO_TIMES} if chosen is None else {*UNDO_TIMES, chosen}
    return [(str(one), span(one) if one else "none: it starts at once") for one in sorted(offered)]
