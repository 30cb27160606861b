"""The second hand: it kills, stops, cuts, crashes, flushes and orders what is to go wrong."""

import asyncio
import http.client
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec

from app.base.database import Database
from app.base.errors import GodwitError
from app.proof.chaos.house import House, is_frozen, redis
from app.proof.chaos.plan import Step
from app.proof.chaos.receiver import ORDER, Fault

Later = Callable[[], None]
_CUT = """
select count(pg_terminate_backend(pid)) from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid()
  and application_name in ('godwit_web', 'godwit_worker', 'godwit mailbox')
"""


@dataclass
class Faults:
    """What was hit is counted by its name, or as ordered where nobody tells whether it struck.

    `later`: what is still to be undone, and when (monotonic seconds).
    """

    house: House
    hit: Counter[str] = field(default_factory=Counter[str])
    held: list[threading.Thread] = field(default_factory=list[threading.Thread])
    later: list[tuple[float, Later]] = field(default_factory=list[tuple[float, Later]])

    def strike(self, step: Step) -> None:
        """Do the step's fault."""
        told, name = step.told, self._whom(step)
        if name and name not in self.house.children:
            self.hit[f"{step.act} (nobody there)"] += 1
            return
        match step.act:
            case "kill_worker" | "kill_web":
                self.house.kill(name)
                self._after(told["seconds"], lambda: self.house.bring_up(name))
            case "stop_worker" | "stop_web":
                self.house.freeze(name)
                self._after(told["seconds"], lambda: self.house.wake(name))
            case "deploy_worker" | "deploy_web":
                self.house.leave(name)
                self._after(told["seconds"], lambda: self.house.bring_up(name))
            case "cut":
                asyncio.run(_cut(self.house.owner_url()))
            case "crash_postgres":
                self.house.servers.crash_postgres()
                self._after(told["seconds"], self._revive)
            case "kill_valkey":
                self.house.servers.kill_valkey()
                self._after(told["seconds"], self._revive)
            case "hold_open":
                self.held.append(_hold_open(self.house.owner_url(), told["seconds"]))
            case "flush_valkey":
                redis(self.house.servers.redis_url, "FLUSHALL")
            case _:
                self._order(step.act, told)
                return
        self.hit[step.act] += 1

    def due(self) -> None:
        """Undo what is due to be undone; thaw whom a failpoint froze long enough."""
        now = time.monotonic()
        for at, act in [one for one in self.later if one[0] <= now]:
            self.later.remove((at, act))
            act()

    def cease(self) -> None:
        """Nothing goes wrong any more from here on."""
        self.later.clear()
        for one in self.held:
            one.join()
        self.held.clear()
        order_at(self.house.receiver_port, [])
        if self.house.provider == "smtp":
            order_at(self.house.desk_port, [])
        self.house.mend()
        told = self.house.caller.ask("GET", "/testing/faults").json
        for fault in told.get("items", []):
            self._count(fault)
        self.house.caller.ask("DELETE", "/testing/faults")
        self.house.wake_all()

    def _count(self, fault: dict[str, Any]) -> None:
        where = f" {fault['at']}" if fault["target"] == "worker" else ""
        self.hit[f"{fault['target']}{where} {fault['kind']}"] += fault["fired"]

    def _whom(self, step: Step) -> str:
        """The process that a fault is for; '' when it is for none."""
        if step.act.endswith("_worker"):
            return f"worker-{step.told['worker'] % len(self.house.workers)}"
        return "web" if step.act.endswith("_web") else ""

    def _after(self, seconds: float, act: Later) -> None:
        self.later.append((time.monotonic() + seconds, act))

    def _revive(self) -> None:
        self.house.servers.revive()

    def _order(self, act: str, told: dict[str, Any]) -> None:
        ask = self.house.caller.ask
        if act == "clock":
            moved = ask("POST", "/testing/clock", told, patience=1).status == 200
            self.hit["clock" if moved else "clock (not possible)"] += 1
        elif act == "provider" and self.house.provider == "smtp":
            order_at(self.house.desk_port, [told["smtp"]])
            self.hit[f"smtp {told['smtp'].partition(' ')[2]} (ordered)"] += 1
        elif act == "provider":
            order = {name: value for name, value in told.items() if name != "smtp"}
            ask("POST", "/testing/faults", {"target": "provider"} | order, patience=1)
        elif act == "failpoint":
            order = {name: value for name, value in told.items() if name != "seconds"}
            ask("POST", "/testing/faults", {"target": "worker"} | order, patience=1)
            if told["kind"] == "stop":
                self._after(told["seconds"], lambda: self._thaw(told["seconds"]))
        elif act == "receiver":
            order_at(self.house.receiver_port, [msgspec.convert(told, Fault)])
            self.hit[f"receiver {told.get('ending') or told.get('status') or 'slow'} (ordered)"] += 1

    def _thaw(self, seconds: float) -> None:
        """Whoever stands still by now is woken; who is struck later, later."""
        if any(is_frozen(one.pid) for one in self.house.children.values()):
            self.house.wake_all()
        else:
            self._after(seconds, self.house.wake_all)


def order_at(port: int, faults: Sequence[Fault | str]) -> None:
    """Tell the receiver or the mail server what is to go wrong, in the place of what was told before."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("POST", ORDER, body=msgspec.json.encode(faults))
        connection.getresponse().read()
    finally:
        connection.close()


def _hold_open(owner_url: str, seconds: float) -> threading.Thread:
    """A transaction that reads one moment, and keeps what died since from being cleared away."""

    def held() -> None:
        with suppress(GodwitError, OSError):
            asyncio.run(_held_open(owner_url, seconds))

    thread = threading.Thread(target=held, daemon=True)
    thread.start()
    return thread


async def _held_open(owner_url: str, seconds: float) -> None:
    database = Database(owner_url, "postgres", 1, pooled=False)
    try:
        async with database.transaction(snapshot=True) as tx:
            await tx.value("select count(*) from job")
            await asyncio.sleep(seconds)
    finally:
        await database.close()


async def _cut(owner_url: str) -> None:
    database = Database(owner_url, "postgres", 1, pooled=False)
    try:
        async with database.transaction() as tx:
            await tx.value(_CUT)
    finally:
        await database.close()
