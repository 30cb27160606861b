"""The account's switch in the JSON API (contract.md)."""

from typing import Any

import msgspec
from litestar import get, post, put

from app.accounts import ApiCaller
from app.answers import iso_or_none
from app.ops.held import State, set_state, state_of
from app.ops.letting import let_go_here


class GivenSwitch(msgspec.Struct, forbid_unknown_fields=True):
    """`on` stops mail, and needs a reason. `bulk` stops what goes to readers, `all` everything."""

    on: bool
    scope: str = "all"
    reason: str = ""


@get("/switch")
async def show_switch(caller: ApiCaller) -> dict[str, Any]:
    """Whether mail is stopped, by whom and why; what waits; what the operators stopped for everybody."""
    async with caller.transaction() as tx:
        return switch_json(await state_of(tx))


@put("/switch")
async def change_switch(caller: ApiCaller, data: GivenSwitch) -> dict[str, Any]:
    """Stop mail, more of it or less, or start it again. What waited stays held until it is let go."""
    by = f"the API ({caller.key_name})"
    async with caller.transaction() as tx:
        return switch_json(await set_state(tx, on=data.on, scope=data.scope, reason=data.reason, by=by))


@post("/switch/let-go", status_code=200)
async def let_held_go(caller: ApiCaller) -> dict[str, Any]:
    """Let go what is held and not stopped any more, once; `detail` says what becomes of it. Nothing: 409."""
    async with caller.transaction() as tx:
        gone = await let_go_here(tx, by=f"the API ({caller.key_name})")
        return switch_json(await state_of(tx)) | {"detail": gone.words}


def switch_json(state: State) -> dict[str, Any]:
    """The representation of an account's switch."""
    own, platform = state.switches.own, state.switches.platform
    return {
        "on": own.stopped,
        "scope": own.scope,
        "reason": own.reason,
        "since": iso_or_none(own.changed_at),
        "by": own.changed_by,
        "holding": own.holding,
        "held_scope": own.held_scope,
        "held": {"sends": state.held.sends, "messages": state.held.messages},
        "platform": {
            "on": platform.stopped,
            "scope": platform.scope,
            "holding": platform.holding,
            "held_scope": platform.held_scope,
        },
    }


HANDLERS: tuple[Any, ...] = (show_switch, change_switch, let_held_go)
