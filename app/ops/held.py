"""The switch of an account with what it holds: two delivery books asked at once."""

from dataclasses import dataclass

from app.base.database import Tx
from app.ledger import waiting_sends
from app.messages import held_messages
from app.switches import (
    Held,
    Switches,
    held_everywhere,
    let_go,
    operator_let_go,
    operator_set,
    start,
    stop,
    switches_of,
)


@dataclass(frozen=True)
class State:
    """The switches that an account's mail obeys, and what waits because of them."""

    switches: Switches
    held: Held


async def state_of(tx: Tx) -> State:
    """How it stands in the transaction's account. Copies of paused emails wait for something else."""
    switches = await switches_of(tx)
    sends = await waiting_sends(tx) if switches.holds(bulk=True) else 0
    messages = await held_messages(tx) if switches.holds(bulk=False) else 0
    return State(switches, Held(sends, messages))


async def set_state(tx: Tx, *, on: bool, scope: str, reason: str, by: str) -> State:
    """Stop or start the account's mail; started with nothing held, there is nothing to let go.

    Raises Invalid, Forbidden.
    """
    if on:
        await stop(tx, scope=scope, reason=reason, by=by)
        return await state_of(tx)
    await start(tx, reason=reason, by=by)
    state = await state_of(tx)
    if state.switches.own.holding and not state.held.mails:
        await let_go(tx, by=by)
        state = await state_of(tx)
    return state


async def set_by_operator(tx: Tx, account_id: int, *, on: bool, scope: str, reason: str, by: str) -> Held:
    """The same by an operator, for one account or everybody (0); what is held by then."""
    await operator_set(tx, account_id, on=on, scope=scope, reason=reason, by=by)
    held = await held_everywhere(tx, account_id)
    if not on and not held.mails:
        await operator_let_go(tx, account_id, by=by)
    return held
