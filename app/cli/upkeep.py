"""Keeping children alive: one that ends unasked is started again, after a pause that grows with its falls."""

import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import click

from app.cli import children
from app.cli.signals import Signals

_PAUSES = (0.2, 0.5, 1.0, 2.0, 5.0)  # seconds before the next start
_STEADY = 20.0  # seconds after which a fall counts as the first again


@dataclass
class Kept:
    """A command that should be running."""

    name: str
    command: Sequence[str]
    env: dict[str, str]
    patience: float
    falls: int = 0
    started_at: float = 0.0
    process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)

    def start(self) -> None:
        """Start it; it is asked to end if we die."""
        self.started_at = time.monotonic()
        self.process = children.spawn(self.command, at_our_death=signal.SIGTERM, env=self.env)

    def tend(self) -> None:
        """Start it when it is due."""
        if self.process is None:
            self.start()
        elif self.process.poll() is not None:
            self._after_fall(self.process.returncode)

    def _after_fall(self, status: int) -> None:
        now = time.monotonic()
        lived = now - self.started_at
        if lived >= 0 and self.process is not None:
            self.falls = 0 if lived > _STEADY else self.falls
            pause = _PAUSES[min(self.falls, len(_PAUSES) - 1)]
            self.falls += 1
            click.echo(
                f"{self.name} ended unasked ({_reason(status)}); starting it again in {pause:g} s.", err=True
            )
            self.started_at = now + pause
            self.process = None


def keep(kept: Sequence[Kept], signals: Signals, tick: Callable[[], None] = lambda: None) -> None:
    """Tend all of them, and run `tick`, until somebody asks us to stop."""
    while not signals.stopping:
        for one in kept:
            if one.process is not None or time.monotonic() >= one.started_at:
                one.tend()
        tick()
        signals.wait(0.25)


def stop_all(kept: Sequence[Kept], signals: Signals) -> None:
    """End them in the order given, in peace; at a second Ctrl-C at once (what was leased is found again)."""
    for one in kept:
        stop_together([one], signals)


def stop_together(kept: Sequence[Kept], signals: Signals) -> None:
    """As `stop_all`, in no order: all are asked at once, and have the longest patience of them."""
    if running := [one.process for one in kept if one.process]:
        patience = max(one.patience for one in kept)
        children.stop_together(running, signal.SIGTERM, patience, lambda: signals.impatient)


def _reason(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"status {status}"
