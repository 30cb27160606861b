"""Processes of their own that need not load Godwit: forked from one that has.

Loading takes a second or two of the processor, most of what a scenario of three workers costs. What runs is
the module's `__main__`, in a process with its own id, environment and log, to be struck by any signal.
"""

import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

#: What every worker loads before it knows what it is to do: no handler is registered by it.
_LOADED = "workers.process"
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload([_LOADED])


class Forked:
    """`python -m module words`, in the folder `home`, its stderr at the end of `log`: as a Popen is used."""

    def __init__(
        self, module: str, words: Sequence[str], *, home: Path, log: Path, environment: Mapping[str, str]
    ) -> None:
        log.touch()
        told = (module, list(words), str(home), str(log), dict(environment))
        self._process = _CONTEXT.Process(target=_run, args=told, daemon=True)
        self._process.start()
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    def poll(self) -> int | None:
        """Its status, or minus the signal that killed it; None while it runs or stands still."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises TimeoutExpired."""
        self._process.join(timeout)
        if (status := self.poll()) is None:
            raise subprocess.TimeoutExpired(self._process.name, timeout or 0)
        return status

    def send_signal(self, number: signal.Signals) -> None:
        """A signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL."""
        self.send_signal(signal.SIGKILL)


def _run(module: str, words: list[str], home: str, log: str, environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(home)
    with open(log, "ab") as said:
        os.dup2(said.fileno(), 2)
    sys.argv = [module, *words]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
