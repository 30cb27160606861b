"""What of the processor each process takes: on a busy machine it tells more than the time of answers."""

import os
from collections.abc import Mapping
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
#: A word in the command line, and what the process is called; the first that fits.
_NAMES = {
    "postgres": "Postgres",
    "app.cli\0web": "web",
    "workers\0": "worker",
    "workers.nothing\0": "worker",
    "valkey": "Valkey",
}
_OTHERS = "others"
_ALL = Path("/proc/stat")


def descendants(pid: int) -> list[int]:
    """Processes that `pid` and its children started and that live."""
    children: dict[int, list[int]] = {}
    for one in Path("/proc").glob("[0-9]*/stat"):
        if told := _stat(int(one.parent.name)):
            children.setdefault(int(told[1]), []).append(int(one.parent.name))
    found, left = [], [pid]
    while left:
        more = children.get(left.pop(), [])
        found += more
        left += more
    return found


def spent(pid: int) -> dict[str, float]:
    """Seconds of the processor that those below `pid` have taken, with their children that ended, by name."""
    seconds: dict[str, float] = {}
    for one in descendants(pid):
        name = next((name for word, name in _NAMES.items() if word in command_of(one)), _OTHERS)
        seconds[name] = seconds.get(name, 0.0) + sum(map(int, _stat(one)[11:15])) / _TICK
    return seconds


def spent_by_each(pid: int) -> dict[int, float]:
    """Seconds of the processor that each below `pid` has taken, with its children that ended."""
    return {one: sum(map(int, _stat(one)[11:15])) / _TICK for one in descendants(pid)}


def all_spent() -> float:
    """Seconds that all processors of the machine have worked, whoever for."""
    user, nice, system, _, _, *interrupts = map(int, _ALL.read_text().split("\n", 1)[0].split()[1:8])
    return (user + nice + system + sum(interrupts)) / _TICK


def each_told(before: Mapping[str, float], after: Mapping[str, float], load: float, requests: int) -> str:
    """Milliseconds of the processor a request took of each process, the load tool's `load` among them."""
    took = {name: seconds - before.get(name, 0.0) for name, seconds in after.items()} | {"load tool": load}
    each = {name: seconds * 1000 / max(1, requests) for name, seconds in sorted(took.items())}
    named = ", ".join(f"{name} {milliseconds:.2f}" for name, milliseconds in each.items())
    return f"of the processor a request took {sum(each.values()):.2f} ms ({named})"


def command_of(pid: int) -> str:
    """Its command line, words with NUL behind each; '' when it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def _stat(pid: int) -> list[str]:
    """/proc/PID/stat from the state on (proc(5)); nothing when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
