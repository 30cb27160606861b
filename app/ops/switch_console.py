"""The console's page of all switches: everybody's mail, or one publication's."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from litestar import Request, Response, get, post

from app.accounts import Operator
from app.answers import Flash, answer, form_of, page
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, Problem
from app.ops.held import Set, set_by_operator
from app.ops.letting import let_go_by_operator, sizes
from app.switches import (
    Change,
    Held,
    OperatorSwitch,
    changes_everywhere,
    held_everywhere,
    switches_everywhere,
)

URL = "/console/switches"
_ACCOUNT = "select id from operator_account where slug = :slug"


@dataclass(frozen=True)
class Line:
    """One switch that is on, or still holds, and how much."""

    found: OperatorSwitch
    held: Held


@dataclass(frozen=True)
class ConsolePage:
    """Every switch that keeps mail back, and the record of changes."""

    url: str
    lines: tuple[Line, ...]
    changes: tuple[Change, ...]
    account: str = ""
    scope: str = "all"
    reason: str = ""
    problems: tuple[Problem, ...] = ()


@get("/switches")
async def show_switches(operator: Operator) -> Response[Any]:
    """What is stopped, by whom, why, since when."""
    return await _shown(operator)


@post("/switches")
async def change_switch(request: Request, operator: Operator) -> Response[Any]:
    """Stop or start: `act` is on or off."""
    form = await form_of(request)
    slug, scope = form.text("account").strip(), form.text("scope") or "all"
    reason, on = form.text("reason", most=5000), form.text("act") != "off"
    try:
        async with operator.transaction() as tx:
            account_id = await account_named(tx, slug)
            by = operator.creator.name
            stands = await set_by_operator(tx, account_id, on=on, scope=scope, reason=reason, by=by)
    except Invalid as error:
        return await _shown(operator, slug, scope, reason, error.problems)
    except Conflict as error:  # another operator was faster
        return answer(request, to=URL, flash=Flash("warn", error.detail))
    return answer(request, to=URL, flash=Flash("warn" if on else "ok", changed_words(stands)))


@post("/switches/let-go")
async def let_held_go(request: Request, operator: Operator) -> Response[Any]:
    """Let what one switch holds go, once."""
    form = await form_of(request)
    try:
        async with operator.transaction() as tx:
            account_id = await account_named(tx, form.text("account").strip())
            gone = await let_go_by_operator(tx, account_id, by=operator.creator.name)
    except (Conflict, Invalid) as error:
        return answer(request, to=URL, flash=Flash("warn", error.detail))
    return answer(request, to=URL, flash=Flash("ok", gone.words))


async def account_named(tx: Tx, slug: str) -> int:
    """The account of that short name, 0 for ''. Raises Invalid when there is none. As an operator."""
    found = await tx.value(_ACCOUNT, slug=slug) if slug else 0
    if found is None:
        raise Invalid([Problem("account", f"There is no publication {slug!r}.")])
    return found


def changed_words(stands: Set) -> str:
    """What an operator is told after pressing it."""
    switch = stands.switch
    if switch.stopped and not switch.by_operator:
        return f"Your stop is taken away. Their team's own stays: {switch.reason}"
    if switch.stopped:
        whose = "Mail" if switch.scope == "all" else "Mail to readers"
        held = " Automatic emails are still held, until they are let go." if switch.holds_more else ""
        return f"{whose} is stopped. What was already handed over may still arrive; nothing is begun.{held}"
    if switch.holding:
        return f"Mail is started. {sizes(stands.held, 'wait', 'waits')} to be let go."
    return "Mail is started; this switch held nothing."


async def _shown(
    operator: Operator,
    account: str = "",
    scope: str = "all",
    reason: str = "",
    problems: Sequence[Problem] = (),
) -> Response[Any]:
    async with operator.transaction() as tx:
        found = [one for one in await switches_everywhere(tx) if one.switch.holding]
        lines = [Line(one, await held_everywhere(tx, one.account_id)) for one in found]
        changes = await changes_everywhere(tx)
    shown = ConsolePage(URL, tuple(lines), tuple(changes), account, scope, reason, tuple(problems))
    fresh = {"Cache-Control": "no-store"}
    return page(
        "switches/console.html",
        status=422 if problems else 200,
        headers=fresh,
        page=shown,
        flash=operator.flash,
        who=operator.creator,
        section="switches",
    )


HANDLERS: tuple[Any, ...] = (show_switches, change_switch, let_held_go)
