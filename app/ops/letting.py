"""Letting go what a switch holds, and saying what becomes of it: another switch may hold it still."""

from dataclasses import dataclass

from app.answers import plural
from app.base.database import Tx
from app.ops.held import state_of
from app.switches import Held, Switch, held_everywhere, let_go, operator_let_go, switch_of


@dataclass(frozen=True)
class LetGo:
    """What was let go: what goes `now`, and what waits for mail of everybody to be let go."""

    now: Held
    later: Held

    @property
    def words(self) -> str:
        """What happens, for whoever let it go."""
        again = "Who unsubscribed or was blocked meanwhile is left out."
        if not self.later.mails:
            return f"It goes now. {again}"
        until = f"until whoever runs this Godwit lets everybody's mail go. {again}"
        waits = f"{sizes(self.later, 'wait', 'waits')} {until}"
        return (
            f"{sizes(self.now, 'go', 'goes')} now; {waits}"
            if self.now.mails
            else f"It is let go here, but {waits}"
        )


async def let_go_here(tx: Tx, *, by: str) -> LetGo:
    """What the account's own switch holds, once. Raises Conflict when there is nothing to let go."""
    state = await state_of(tx)
    await let_go(tx, by=by)
    own = state.switches.own
    return _parted(own, own.keeps(state.held), state.switches.platform)


async def let_go_by_operator(tx: Tx, account_id: int, *, by: str) -> LetGo:
    """What the switch of one account or of everybody (0) holds, once. Raises Conflict as `let_go_here`."""
    switch, held = await switch_of(tx, account_id), await held_everywhere(tx, account_id)
    await operator_let_go(tx, account_id, by=by)
    return _parted(switch, held, await switch_of(tx, 0) if account_id else Switch())


def _parted(switch: Switch, held: Held, platform: Switch) -> LetGo:
    gone = Held(0, held.messages) if switch.stopped else held
    later = platform.keeps(gone)
    return LetGo(gone - later, later)


def sizes(held: Held, many: str = "", one: str = "") -> str:
    """How much it is, with the verb that fits: 12 copies wait, 1 automatic email waits. None are left out."""
    parts = [plural(held.sends, "copy", "copies")] if held.sends else []
    parts += [plural(held.messages, "automatic email")] if held.messages else []
    return f"{' and '.join(parts) or 'nothing'} {one if held.mails < 2 else many}".rstrip()
