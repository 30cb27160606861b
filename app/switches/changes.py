"""Stopping, starting, letting go: by the account's own people, or by an operator. Each leaves its record."""

from app.base.database import Tx
from app.base.errors import Conflict, Forbidden, Invalid, Problem
from app.switches.checks import SCOPES, Switch, switch_of, switches_of

LONGEST = 500  # characters of a reason

#: Nothing changes, and nothing is recorded, when it stood so before: a PUT may be repeated. What an operator
#: stopped keeps the operator's name and reason; the team's own stop is kept beneath it, at its widest.
_STOP = """
with stopped as (
    insert into switch as s (account_id, stopped, scope, reason, changed_by, holding)
    values (:account, true, :scope, :reason, :by, true)
    on conflict (account_id) do update set stopped = true, holding = true,
        scope = case when s.stopped and s.by_operator and s.scope = 'all' then 'all' else excluded.scope end,
        team_scope = case
            when s.stopped and s.by_operator and s.team_scope = 'all' then 'all'
            when s.stopped and s.by_operator then excluded.scope end,
        team_reason = case when s.stopped and s.by_operator then excluded.reason end,
        team_by = case when s.stopped and s.by_operator then excluded.changed_by end,
        reason = case when s.stopped and s.by_operator then s.reason else excluded.reason end,
        changed_by = case when s.stopped and s.by_operator then s.changed_by else excluded.changed_by end,
        changed_at = case when s.stopped then s.changed_at else godwit_now() end
    where not s.stopped
       or (s.by_operator and (s.team_reason is distinct from excluded.reason
                              or (s.team_scope = 'bulk' and excluded.scope = 'all')))
       or (not s.by_operator and (s.scope <> excluded.scope or s.reason <> excluded.reason))
    returning account_id
)
insert into switch_change (account_id, act, scope, reason, by)
select account_id, 'stopped', :scope, :reason, :by from stopped
"""
_START = """
with started as (
    update switch set stopped = false, reason = :reason, changed_by = :by, changed_at = godwit_now()
    where account_id = :account and stopped and not by_operator returning account_id, scope
)
insert into switch_change (account_id, act, scope, reason, by)
select account_id, 'started', scope, :reason, :by from started
"""
_BY_OPERATOR = "select stopped and by_operator from switch where account_id = :account"
#: What is still stopped stays held, and keeps who stopped it and since when.
_LET_GO = """
with gone as (
    update switch set holding = stopped, held_scope = scope,
        changed_by = case when stopped then changed_by else :by end,
        changed_at = case when stopped then changed_at else godwit_now() end
    where account_id = :account and holding and (not stopped or held_scope <> scope)
    returning account_id, scope
)
insert into switch_change (account_id, act, scope, reason, by)
select account_id, 'let_go', scope, '', :by from gone
"""


async def stop(tx: Tx, *, scope: str, reason: str, by: str) -> bool:
    """Stop the account's mail; False when it stood exactly so. Raises Invalid without scope or reason."""
    reason = checked(scope, reason)
    return await tx.execute(_STOP, account=tx.account_id, scope=scope, reason=reason, by=by) > 0


async def start(tx: Tx, *, reason: str, by: str) -> bool:
    """Take the stop away; mail is still held until it is let go. False when it was not stopped.

    Raises Forbidden when an operator stopped it.
    """
    if await tx.value(_BY_OPERATOR, account=tx.account_id):
        raise Forbidden("Whoever runs this Godwit stopped this mail, and only they start it. Ask them.")
    return await tx.execute(_START, account=tx.account_id, reason=_kept(reason), by=by) > 0


async def let_go(tx: Tx, *, by: str) -> None:
    """Let go, once, what is held and not stopped any more. Raises Conflict when nothing is."""
    if await tx.execute(_LET_GO, account=tx.account_id, by=by):
        return
    switches = await switches_of(tx)
    if switches.own.stopped and switches.own.by_operator:
        raise Conflict("Nothing was let go: whoever runs this Godwit stopped it, and only they start it.")
    if switches.platform.holding and not switches.own.holding:
        raise Conflict(
            "Nothing was let go: whoever runs this Godwit holds mail for everybody, and only they let it go."
        )
    raise _not_let_go(switches.own)


async def operator_set(tx: Tx, account_id: int, *, on: bool, scope: str, reason: str, by: str) -> None:
    """An operator stops or starts mail of one account, or of everybody (0). A reason is always needed.

    The team's own stop stays what it was: beneath an operator's, and after it. Raises Conflict when there is
    nothing to start.
    """
    reason = checked(scope, reason)
    if not on:
        stands = await switch_of(tx, account_id)
        if not stands.stopped:
            held = " What waited is held: let it go." if stands.holding else ""
            raise Conflict(f"That mail is not stopped: there is nothing to start.{held}")
        if account_id and not stands.by_operator:
            raise Conflict(f"Their team stopped that mail itself, and starts it: {stands.reason}")
    await tx.execute(
        "select set_switch(:account, :stop, :scope, :reason, :by)",
        account=account_id,
        stop=on,
        scope=scope,
        reason=reason,
        by=by,
    )


async def operator_let_go(tx: Tx, account_id: int, *, by: str) -> None:
    """An operator lets held mail go, once. Raises Conflict as `let_go`."""
    if not await tx.value("select let_go(:account, :by)", account=account_id, by=by):
        raise _not_let_go(await switch_of(tx, account_id))


def _not_let_go(stands: Switch) -> Conflict:
    if stands.stopped:
        return Conflict("Nothing was let go: mail is still stopped. Start it first, then let go.")
    return Conflict("Nothing was let go: nothing is held.")


def checked(scope: str, reason: str) -> str:
    """The reason as it is kept. Raises Invalid naming every field that is wrong."""
    problems: list[Problem] = []
    if scope not in SCOPES:
        problems.append(Problem("scope", f"The scope is one of {', '.join(SCOPES)}."))
    if not reason.strip():
        problems.append(Problem("reason", "Say why: everybody who meets the stopped mail will read it."))
    if problems:
        raise Invalid(problems)
    return _kept(reason)


def _kept(reason: str) -> str:
    reason = " ".join(reason.split())
    if len(reason) > LONGEST:
        raise Invalid([Problem("reason", f"{len(reason)} characters are too many; the most is {LONGEST}.")])
    if "\0" in reason or any("\ud800" <= letter <= "\udfff" for letter in reason):
        raise Invalid([Problem("reason", "There is a character in the reason that cannot be kept.")])
    return reason
