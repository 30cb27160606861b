"""Stop all mail: the studio's page of the account's switch, and its buttons."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from litestar import Request, Response, get, post

from app.accounts import Desk
from app.answers import Flash, answer, form_of, page
from app.base.errors import Conflict, Invalid, Problem
from app.ops.held import State, set_state, state_of
from app.ops.letting import let_go_here, sizes
from app.switches import Change, changes_of


@dataclass(frozen=True)
class SwitchPage:
    """The switch as it stands, what it holds, who changed it; what was typed and is wrong with it."""

    url: str
    state: State
    changes: tuple[Change, ...]
    scope: str = "all"
    reason: str = ""
    problems: tuple[Problem, ...] = ()

    @property
    def held_words(self) -> str:
        """What waits because of it."""
        return sizes(self.state.held)


@get("/switch", name="studio.switch")
async def show_switch(desk: Desk) -> Response[Any]:
    """Whether mail may go, and the button."""
    return await _shown(desk)


@post("/switch/stop")
async def stop_mail(request: Request, desk: Desk) -> Response[Any]:
    """Stop it, with a reason."""
    form = await form_of(request)
    scope, reason = form.text("scope"), form.text("reason", most=5000)
    try:
        async with desk.transaction() as tx:
            state = await set_state(tx, on=True, scope=scope, reason=reason, by=desk.creator.name)
    except Invalid as error:
        return await _shown(desk, scope, reason, error.problems)
    return answer(request, to=desk.url("switch"), flash=Flash("warn", _stopped_words(state)))


@post("/switch/start")
async def start_mail(request: Request, desk: Desk) -> Response[Any]:
    """Start it again; what waited keeps waiting until it is let go."""
    form = await form_of(request)
    async with desk.transaction() as tx:
        reason = form.text("reason", most=5000)
        state = await set_state(tx, on=False, scope="all", reason=reason, by=desk.creator.name)
    return answer(request, to=desk.url("switch"), flash=Flash("ok", _started_words(state)))


@post("/switch/let-go")
async def let_held_go(request: Request, desk: Desk) -> Response[Any]:
    """Let the held mail go, once."""
    try:
        async with desk.transaction() as tx:
            gone = await let_go_here(tx, by=desk.creator.name)
    except Conflict as error:
        return answer(request, to=desk.url("switch"), flash=Flash("warn", error.detail))
    return answer(request, to=desk.url("switch"), flash=Flash("ok", gone.words))


def _stopped_words(state: State) -> str:
    own = state.switches.own
    arrives = "What was already handed over may still arrive"
    if own.scope == "all":
        return f"Mail is stopped. {arrives}; nothing else goes."
    held = " Automatic emails are still held, until you let them go." if own.holds_more else ""
    return f"Mail to readers is stopped. {arrives}; nothing else goes to them.{held}"


def _started_words(state: State) -> str:
    if state.switches.own.holding:
        return "What waited is still held: let it go when you are ready."
    if state.switches.platform.holding:
        return "Mail is started here, but whoever runs this Godwit holds mail for everybody."
    return "Mail goes again."


async def _shown(
    desk: Desk, scope: str = "all", reason: str = "", problems: Sequence[Problem] = ()
) -> Response[Any]:
    async with desk.transaction() as tx:
        state, changes = await state_of(tx), await changes_of(tx)
    shown = SwitchPage(desk.url("switch"), state, tuple(changes), scope, reason, tuple(problems))
    status, fresh = 422 if problems else 200, {"Cache-Control": "no-store"}
    return page("switches/show.html", status=status, headers=fresh, shell=desk.shell("settings"), page=shown)


HANDLERS: tuple[Any, ...] = (show_switch, stop_mail, start_mail, let_held_go)
