"""The account's switch in the JSON API."""

from datetime import datetime
from typing import Any

from litestar import get, post, put
from msgspec import Struct, structs

from app.accounts import ApiCaller
from app.ops.held import State, set_state, state_of
from app.ops.letting import let_go_here


class GivenSwitch(Struct, forbid_unknown_fields=True):
    """`on` stops mail, and needs a reason. `bulk` stops what goes to readers, `all` everything."""

    on: bool
    scope: str = "all"
    reason: str = ""


class HeldItem(Struct):
    """How many copies of emails and how many automatic ones wait because of a switch."""

    sends: int
    messages: int


class PlatformSwitch(Struct):
    """What the operators stopped for everybody; the words are those of the account's own."""

    on: bool
    scope: str
    holding: bool
    held_scope: str | None


class SwitchItem(Struct):
    """Whether mail is stopped, since when, by whom and why. `scope`: all, or bulk, what goes to readers.

    `holding`: something waits, also when mail is not stopped any more; `held_scope` is which.
    """

    on: bool
    scope: str
    reason: str
    since: datetime | None
    by: str
    holding: bool
    held_scope: str | None
    held: HeldItem
    platform: PlatformSwitch


class LetGo(SwitchItem):
    """The switch after what waited was let go; `detail` says what becomes of it."""

    detail: str


@get("/switch")
async def show_switch(caller: ApiCaller) -> SwitchItem:
    """Whether mail is stopped, by whom and why; what waits; what the operators stopped for everybody."""
    async with caller.transaction() as tx:
        return _switch(await state_of(tx))


@put("/switch")
async def change_switch(caller: ApiCaller, data: GivenSwitch) -> SwitchItem:
    """Stop mail, more of it or less, or start it again. What waited stays held until it is let go."""
    by = f"the API ({caller.key_name})"
    async with caller.transaction() as tx:
        return _switch(await set_state(tx, on=data.on, scope=data.scope, reason=data.reason, by=by))


@post("/switch/let-go", status_code=200)
async def let_held_go(caller: ApiCaller) -> LetGo:
    """Let go what is held and not stopped any more, once; `detail` says what becomes of it. Nothing: 409."""
    async with caller.transaction() as tx:
        gone = await let_go_here(tx, by=f"the API ({caller.key_name})")
        return LetGo(**structs.asdict(_switch(await state_of(tx))), detail=gone.words)


def _switch(state: State) -> SwitchItem:
    own, platform = state.switches.own, state.switches.platform
    return SwitchItem(
        on=own.stopped,
        scope=own.scope,
        reason=own.reason,
        since=own.changed_at,
        by=own.changed_by,
        holding=own.holding,
        held_scope=own.held_scope,
        held=HeldItem(state.held.sends, state.held.messages),
        platform=PlatformSwitch(platform.stopped, platform.scope, platform.holding, platform.held_scope),
    )


HANDLERS: tuple[Any, ...] = (show_switch, change_switch, let_held_go)
