"""Asking the switches: whether mail may go, who stopped it, what was changed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.base.database import Tx

SCOPES = ("all", "bulk")

_BOTH = """
select true as own, stopped, holding, scope, held_scope, reason, changed_by, changed_at, by_operator
from switch where account_id = cast(:account as bigint)
union all
select false, stopped, holding, scope, held_scope, reason, changed_by, changed_at, true from platform_switch()
"""
_CHANGES = """
select act, scope, reason, by, at from switch_change where account_id = :account order by id desc limit :most
"""
_EVERYWHERE = """
select account_id, coalesce(slug, '') as slug, stopped, holding, scope, held_scope, reason,
       changed_by, changed_at, by_operator
from operator_switch order by account_id <> 0, slug
"""
_CHANGES_EVERYWHERE = """
select coalesce(slug, '') as slug, act, scope, reason, by, at from operator_switch_change
order by at desc limit :most
"""


@dataclass(frozen=True)
class Held:
    """What waits to be let go."""

    sends: int
    messages: int

    @property
    def mails(self) -> int:
        """All of it."""
        return self.sends + self.messages

    def __sub__(self, other: "Held") -> "Held":
        return Held(self.sends - other.sends, self.messages - other.messages)


@dataclass(frozen=True)
class Switch:
    """One switch, as it stands since `changed_at`. `by_operator`: its team may not start mail again.

    `scope` is what is stopped, or was last; `held_scope` what is held, None where nothing is.
    """

    stopped: bool = False
    holding: bool = False
    scope: str = "all"
    held_scope: str | None = None
    reason: str = ""
    changed_by: str = ""
    changed_at: datetime | None = None
    by_operator: bool = False

    def holds(self, *, bulk: bool) -> bool:
        """Whether it keeps such mail from going now: `bulk` is what the ledger sends."""
        return self.holding and (bulk or self.held_scope == "all")

    def stops(self, *, bulk: bool) -> bool:
        """Whether such mail is stopped now; what it holds beside waits only to be let go."""
        return self.stopped and (bulk or self.scope == "all")

    def keeps(self, held: Held) -> Held:
        """The part of it that this one holds."""
        return Held(
            held.sends if self.holds(bulk=True) else 0, held.messages if self.holds(bulk=False) else 0
        )

    @property
    def holds_more(self) -> bool:
        """Whether it holds automatic mail that it does not stop any more: that can be let go."""
        return self.stopped and self.held_scope != self.scope


@dataclass(frozen=True)
class Switches:
    """The two that mail of an account obeys."""

    own: Switch
    platform: Switch

    def holds(self, *, bulk: bool) -> bool:
        """Whether either of them keeps such mail from going now."""
        return self.own.holds(bulk=bulk) or self.platform.holds(bulk=bulk)

    def stops(self, *, bulk: bool) -> bool:
        """Whether either of them stops such mail now."""
        return self.own.stops(bulk=bulk) or self.platform.stops(bulk=bulk)

    @property
    def codes_stopped(self) -> bool:
        """Whether creators' codes are discarded: they belong to no account, and wait for nothing (M2)."""
        return self.platform.stops(bulk=False)

    @property
    def reader_codes_stopped(self) -> bool:
        """Whether those of the account's readers are: its own switch stops them too."""
        return self.stops(bulk=False)


@dataclass(frozen=True)
class Change:
    """One line of the record. `act` is stopped, started or let_go; `slug` is '' for the platform."""

    act: str
    scope: str
    reason: str
    by: str
    at: datetime
    slug: str = ""


@dataclass(frozen=True)
class OperatorSwitch:
    """A switch as operators see it; `slug` is '' for the platform's."""

    account_id: int
    slug: str
    switch: Switch


async def switches_of(tx: Tx) -> Switches:
    """The switches of the transaction's account (without one: the platform's alone)."""
    found = {row.own: Switch(*row[1:]) for row in await tx.rows(_BOTH, account=tx.account_id)}
    return Switches(found.get(True, Switch()), found.get(False, Switch()))


async def changes_of(tx: Tx, *, most: int = 20) -> list[Change]:
    """Who stopped, started and let go the account's mail, newest first."""
    return [Change(*row) for row in await tx.rows(_CHANGES, account=tx.account_id, most=most)]


async def switches_everywhere(tx: Tx) -> list[OperatorSwitch]:
    """Every switch that was ever touched, the platform's first. As an operator."""
    rows: list[Any] = await tx.rows(_EVERYWHERE)
    return [OperatorSwitch(row.account_id, row.slug, Switch(*row[2:])) for row in rows]


async def switch_of(tx: Tx, account_id: int) -> Switch:
    """One account's, or the platform's (0). As an operator."""
    found = await switches_everywhere(tx)
    return next((one.switch for one in found if one.account_id == account_id), Switch())


async def changes_everywhere(tx: Tx, *, most: int = 50) -> list[Change]:
    """The record over all accounts, newest first. As an operator."""
    rows = await tx.rows(_CHANGES_EVERYWHERE, most=most)
    return [Change(row.act, row.scope, row.reason, row.by, row.at, row.slug) for row in rows]


async def held_everywhere(tx: Tx, account_id: int) -> Held:
    """What one switch holds; not the platform's (0): what accounts hold themselves. As an operator."""
    row = await tx.row("select sends, messages from held_mail(:account)", account=account_id)
    return Held(row.sends, row.messages) if row else Held(0, 0)
