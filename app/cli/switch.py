"""`godwit switch …`: stop mail, start it, let go what waited; for everybody or one publication."""

import getpass
from pathlib import Path
from typing import Any

import click

from app.answers import plural
from app.base.database import Tx
from app.base.errors import NotFound
from app.cli.asking import ask, json_option, print_json
from app.cli.environment import data_option
from app.ops import set_by_operator
from app.switches import (
    SCOPES,
    Change,
    Held,
    OperatorSwitch,
    changes_everywhere,
    held_everywhere,
    operator_let_go,
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
    ask(data, "operator", lambda tx: _set(tx, account, on=True, scope=scope, reason=reason))
    click.echo(f"{_whose(account, scope)} is stopped. What was already handed over may still arrive.")
    if scope == "all" and not account:
        click.echo("Sign-in codes are not mailed either: print one with godwit account code --email E")


@switch.command()
@_account
@_scope
@_reason
@data_option
def off(account: str, scope: str, reason: str, data: Path | None) -> None:
    """Start mail again; what waited is held until it is let go."""
    held = ask(data, "operator", lambda tx: _set(tx, account, on=False, scope=scope, reason=reason))
    click.echo(f"{_whose(account)} is started.")
    if held.mails:
        named = f" --account {account}" if account else ""
        click.echo(f"{_sizes(held)} are held. Let them go: godwit switch let-go{named}")


@switch.command("let-go")
@_account
@data_option
def let_go_(account: str, data: Path | None) -> None:
    """Let what waited go, once; consent is read again for each mail."""

    async def act(tx: Tx) -> Held:
        account_id = await _id_of(tx, account)
        held = await held_everywhere(tx, account_id)
        await operator_let_go(tx, account_id, by=_who())
        return held

    click.echo(f"{_sizes(ask(data, 'operator', act))} go now, each after its consent is read again.")


async def _set(tx: Tx, account: str, *, on: bool, scope: str, reason: str) -> Held:
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


def _sizes(held: Held) -> str:
    return f"{plural(held.sends, 'copy', 'copies')} and {plural(held.messages, 'automatic email')}"


def _line(one: OperatorSwitch, held: Held) -> str:
    found = one.switch
    state = f"stopped ({found.scope})" if found.stopped else "started, what waited is held"
    return (
        f"{_whose(one.slug)}: {state} since {found.changed_at:%Y-%m-%d %H:%M} UTC by {found.changed_by}:"
        f" {found.reason or '–'} ({_sizes(held)} wait)"
    )


def _line_json(one: OperatorSwitch, held: Held) -> dict[str, Any]:
    found = one.switch
    return {
        "account": one.slug or None,
        "on": found.stopped,
        "holding": found.holding,
        "scope": found.scope,
        "reason": found.reason,
        "since": found.changed_at,
        "by": found.changed_by,
        "held": {"sends": held.sends, "messages": held.messages}
        if found.holding
        else {"sends": 0, "messages": 0},
    }
