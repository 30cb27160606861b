"""The data folder: where it is, its lock, and what the embedded servers keep in it."""

import fcntl
import json
import os
from pathlib import Path
from typing import Any, TextIO

from app.base.errors import Conflict, Invalid

#: The folder that holds app/, migrations/, templates/: the repository's root.
ROOT = Path(__file__).resolve().parents[2]


def usable(path: Path) -> Path:
    """The data folder, made if needed. Raises Invalid when it cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(path, error) from error
    return path


def _unusable(path: Path, error: OSError) -> Invalid:
    return Invalid(f"The data folder {path} cannot be used ({error.strerror}); choose another with --data.")


class Folder:
    """A data folder held by this process from `hold()` to `release()`."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._lock: TextIO | None = None

    def hold(self) -> None:
        """Make the folder if needed and take its lock.

        Raises Conflict when another process holds it, Invalid when it cannot be written.
        """
        try:
            lock = (usable(self.path) / "lock").open("a+")
        except OSError as error:
            raise _unusable(self.path, error) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "unknown"
            lock.close()
            raise Conflict(
                f"The data folder {self.path} is in use by process {holder}; "
                "stop that one, or choose another folder with --data."
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        self._lock = lock

    def release(self) -> None:
        """Let others use the folder."""
        if self._lock:
            self._lock.close()
            self._lock = None

    def kept(self, name: str) -> dict[str, Any]:
        """What `keep` wrote under this name; empty when nothing, or nothing readable."""
        try:
            found = json.loads((self.path / f"{name}.json").read_text())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def keep(self, name: str, values: dict[str, Any]) -> None:
        """Remember `values` across restarts, for the owner's eyes only."""
        write_private(self.path / f"{name}.json", json.dumps(values))


def write_private(path: Path, text: str) -> None:
    """Put `text` there in one step, mode 0600: readers see the old file or the new one, never a half."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    fresh.replace(path)
