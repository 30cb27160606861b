"""Processes we answer for: in a session of their own, and gone when we are gone (C2, C3)."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def spawn(
    command: Sequence[str | Path],
    *,
    at_our_death: signal.Signals,
    env: Mapping[str, str] | None = None,
    stdin: int | IO[Any] | None = subprocess.DEVNULL,
    output: int | IO[Any] | None = None,
    user: int | None = None,
) -> "subprocess.Popen[bytes]":
    """Start `command` away from the terminal's Ctrl-C; the kernel sends it `at_our_death` if we die first.

    Call it from the main thread: the kernel takes the death of the starting thread for ours.
    """
    return subprocess.Popen(
        [str(part) for part in command],
        env=env,
        stdin=stdin,
        stdout=output,
        stderr=output,
        start_new_session=True,
        preexec_fn=_bind_to(os.getpid(), at_our_death),
        user=user,
        group=user,
        extra_groups=None if user is None else [],
    )


def _bind_to(parent: int, signum: signal.Signals) -> Callable[[], None]:
    def bind() -> None:
        if _libc is not None:
            _libc.prctl(_PR_SET_PDEATHSIG, int(signum))
        if os.getppid() != parent:  # died between fork and prctl: the kernel will not tell any more
            os._exit(1)

    return bind


def stop(
    process: "subprocess.Popen[bytes]",
    signum: signal.Signals,
    patience: float,
    hurry: Callable[[], bool] = lambda: False,
) -> None:
    """Ask `process` to end and wait `patience` seconds, or until `hurry()`; then kill it."""
    stop_together([process], signum, patience, hurry)


def stop_together(
    processes: "Sequence[subprocess.Popen[bytes]]",
    signum: signal.Signals,
    patience: float,
    hurry: Callable[[], bool] = lambda: False,
) -> None:
    """As `stop`, all of them asked at once: the last waits no longer than the first."""
    for one in _living(processes):
        one.send_signal(signum)
    deadline = time.monotonic() + patience
    while _living(processes) and time.monotonic() < deadline and not hurry():
        time.sleep(0.02)
    for one in _living(processes):
        one.kill()
        one.wait()


def _living(processes: "Sequence[subprocess.Popen[bytes]]") -> "list[subprocess.Popen[bytes]]":
    return [one for one in processes if one.poll() is None]


def command_line(pid: int) -> str:
    """What process `pid` was started as; '' when there is none or it cannot be told."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""
