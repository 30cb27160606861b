"""`godwit switch …`: stop mail, start it, let go what waited; for everybody or one publication."""

import getpass
from pathlib import Path
from typing import Any

import click

from app.base.database import Tx
from app.base.errors import NotFound
from app.cli.asking import ask, json_option, print_json
from app.cli.environment import data_option
from app.ops import LetGo, Set, let_go_by_operator, set_by_operator, sizes
from app.switches import (
    SCOPES,
    Change,
    Held,
    OperatorSwitch,
    changes_everywhere,
    held_everywhere,
    switches_everywhere,
)

_ACCOUNT = "select id from operator_account where slug = :slug"
_account = click.option(
    "--account", default="", help="A publication's short name; without it, everybody's mail."
)
_scope = click.option(
    "--scope", type=click.Choice(SCOPES), default="all", help="All mail, or bulk: to readers."
)
_reason = click.option("--reason", required=True, help="Why; every team that it concerns reads it.")


@click.group(invoke_without_command=True)
@json_option
@data_option
@click.pass_context
def switch(context: click.Context, as_json: bool, data: Path | None) -> None:
    """Say what keeps mail back; or stop it, start it, let it go."""
    if context.invoked_subcommand is not None:
        return
    lines, changes = ask(data, "operator", _everything)
    if as_json:
        print_json({"items": [_line_json(*line) for line in lines]})
        return
    if not any(one.switch.holding for one, _ in lines):
        click.echo("Mail goes, for everybody.")
    for one, held in lines:
        if one.switch.holding:
            click.echo(_line(one, held))
    for change in changes:
        what = f"stopped {change.scope}" if change.act == "stopped" else change.act.replace("_", " ")
        who = change.slug or "everybody"
        click.echo(f"{change.at:%Y-%m-%d %H:%M} UTC\t{who}\t{what}\t{change.by}\t{change.reason}")


@switch.command()
@_account
@_scope
@_reason
@data_option
def on(account: str, scope: str, reason: str, data: Path | None) -> None:
    """Stop mail: nothing is begun any more, and nothing is lost."""
    stands = ask(data, "operator", lambda tx: _set(tx, account, on=True, scope=scope, reason=reason))
    click.echo(f"{_whose(account, scope)} is stopped. What was already handed over may still arrive.")
    if stands.switch.holds_more:
        click.echo(f"Automatic emails are still held. Let them go: {_let_go_line(account)}")
    if scope == "all" and not account:
        click.echo("Sign-in codes are not mailed either: print one with godwit account code --email E")


@switch.command()
@_account
@_scope
@_reason
@data_option
def off(account: str, scope: str, reason: str, data: Path | None) -> None:
    """Start mail again; what waited is held until it is let go."""
    stands = ask(data, "operator", lambda tx: _set(tx, account, on=False, scope=scope, reason=reason))
    if stands.switch.stopped:
        click.echo(f"Your stop is taken away. Their team's own stays: {stands.switch.reason}")
        return
    click.echo(f"{_whose(account)} is started.")
    if stands.switch.holding:
        click.echo(f"{sizes(stands.held, 'are', 'is')} held. Let them go: {_let_go_line(account)}")


@switch.command("let-go")
@_account
@data_option
def let_go_(account: str, data: Path | None) -> None:
    """Let what waited go, once; consent is read again for each mail."""

    async def act(tx: Tx) -> LetGo:
        return await let_go_by_operator(tx, await _id_of(tx, account), by=_who())

    gone = ask(data, "operator", act)
    if gone.now.mails or not gone.later.mails:
        click.echo(f"{sizes(gone.now, 'go', 'goes')} now, each after its consent is read again.")
    if gone.later.mails:
        click.echo(f"{sizes(gone.later, 'go', 'goes')} once everybody's mail is let go: {_let_go_line('')}")


async def _set(tx: Tx, account: str, *, on: bool, scope: str, reason: str) -> Set:
    account_id = await _id_of(tx, account)
    return await set_by_operator(tx, account_id, on=on, scope=scope, reason=reason, by=_who())


async def _everything(tx: Tx) -> tuple[list[tuple[OperatorSwitch, Held]], list[Change]]:
    found = await switches_everywhere(tx)
    lines = [(one, await held_everywhere(tx, one.account_id)) for one in found]
    return lines, await changes_everywhere(tx, most=20)


async def _id_of(tx: Tx, account: str) -> int:
    found = await tx.value(_ACCOUNT, slug=account) if account else 0
    if found is None:
        raise NotFound(f"There is no account {account!r}. List them: godwit account list")
    return found


def _who() -> str:
    try:
        return f"{getpass.getuser()} at the command line"
    except (KeyError, OSError):
        return "somebody at the command line"


def _whose(account: str, scope: str = "all") -> str:
    mail = "Mail to readers" if scope == "bulk" else "Mail"
    return f"{mail} of {account}" if account else f"{mail} for everybody"


def _let_go_line(account: str) -> str:
    return "godwit switch let-go" + (f" --account {account}" if account else "")


def _line(one: OperatorSwitch, held: Held) -> str:
    found = one.switch
    state = f"stopped ({found.scope})" if found.stopped else f"started, held ({found.held_scope})"
    if found.holds_more:
        state += ", automatic emails held"
    return (
        f"{_whose(one.slug)}: {state} since {found.changed_at:%Y-%m-%d %H:%M} UTC by {found.changed_by}:"
        f" {found.reason or '–'} ({sizes(held, 'wait', 'waits')})"
    )


def _line_json(one: OperatorSwitch, held: Held) -> dict[str, Any]:
    found = one.switch
    return {
        "account": one.slug or None,
        "on": found.stopped,
        "holding": found.holding,
        "scope": found.scope,
        "held_scope": found.held_scope,
        "reason": found.reason,
        "since": found.changed_at,
        "by": found.changed_by,
        "held": {"sends": held.sends, "messages": held.messages}
        if found.holding
        else {"sends": 0, "messages": 0},
    }
