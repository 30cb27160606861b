"""The switch of an account with what it holds: two delivery books asked at once."""

from dataclasses import dataclass

from app.base.database import Tx
from app.ledger import waiting_sends
from app.messages import held_messages
from app.switches import (
    Held,
    Switch,
    Switches,
    held_everywhere,
    let_go,
    operator_let_go,
    operator_set,
    start,
    stop,
    switch_of,
    switches_of,
)


@dataclass(frozen=True)
class State:
    """The switches that an account's mail obeys, and what waits because of them."""

    switches: Switches
    held: Held


@dataclass(frozen=True)
class Set:
    """One switch after an operator set it, and what it holds."""

    switch: Switch
    held: Held


async def state_of(tx: Tx) -> State:
    """How it stands in the transaction's account. Copies of paused emails wait for something else."""
    switches = await switches_of(tx)
    sends = await waiting_sends(tx) if switches.holds(bulk=True) else 0
    messages = await held_messages(tx) if switches.holds(bulk=False) else 0
    return State(switches, Held(sends, messages))


async def set_state(tx: Tx, *, on: bool, scope: str, reason: str, by: str) -> State:
    """Stop or start the account's mail. What is not stopped any more, with nothing of it held, is let go.

    Raises Invalid, Forbidden.
    """
    if on:
        await stop(tx, scope=scope, reason=reason, by=by)
    else:
        await start(tx, reason=reason, by=by)
    state = await state_of(tx)
    if _holds_nothing(state.switches.own, state.switches.own.keeps(state.held)):
        await let_go(tx, by=by)
        state = await state_of(tx)
    return state


async def set_by_operator(tx: Tx, account_id: int, *, on: bool, scope: str, reason: str, by: str) -> Set:
    """The same by an operator, for one account or everybody (0)."""
    await operator_set(tx, account_id, on=on, scope=scope, reason=reason, by=by)
    held = await held_everywhere(tx, account_id)
    switch = await switch_of(tx, account_id)
    if _holds_nothing(switch, held):
        await operator_let_go(tx, account_id, by=by)
        switch = await switch_of(tx, account_id)
    return Set(switch, held)


def _holds_nothing(switch: Switch, held: Held) -> bool:
    if switch.stopped:
        return switch.holds_more and not held.messages
    return switch.holding and not held.mails
