"""As whom PostgreSQL runs: it refuses root, so root runs it as nobody.

Found to work, in this order: an ordinary user is left as is; root enters a user namespace
in which it is 65534 (files stay root's, also in a home that only root may enter); where
namespaces are refused, the binaries are copied to a folder others may read and the
process changes to 65534.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.base.errors import Unavailable

NOBODY = 65534
_NAMESPACE = ("unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}", "--")
_COPIES = Path("/var/tmp")  # noqa: S108 - world-readable on purpose; ownership is checked below


@dataclass(frozen=True)
class Identity:
    """`prefix` goes before every server command; `user` is what the process changes to, if anything."""

    prefix: tuple[str, ...] = ()
    user: int | None = None


@cache
def identity() -> Identity:
    """The way that works here."""
    if os.geteuid() != 0:
        return Identity()
    try:
        refused = subprocess.run(
            [*_NAMESPACE, "true"], capture_output=True, timeout=10, check=False
        ).returncode
    except OSError:
        refused = 1
    return Identity(user=NOBODY) if refused else Identity(prefix=_NAMESPACE)


def hand_over(folder: Path, who: Identity) -> None:
    """Give `folder` to the user the server will run as.

    Raises Unavailable when that user could not enter it.
    """
    if who.user is None:
        return
    for parent in folder.parents:
        if not parent.stat().st_mode & 0o001:
            raise Unavailable(
                f"PostgreSQL cannot run as root, and user {who.user} may not enter {parent}. Start Godwit "
                "as an ordinary user, or choose a folder everyone may enter with --data /var/lib/godwit."
            )
    for path in (folder, *folder.rglob("*")):
        os.chown(path, who.user, who.user, follow_symlinks=False)


def reachable(bindir: Path, who: Identity) -> Path:
    """`bindir`, or a copy of the package it is in that the server's user may read."""
    if who.user is None or all(parent.stat().st_mode & 0o001 for parent in (bindir, *bindir.parents)):
        return bindir
    package = bindir.parents[1]
    size = (bindir / "postgres").stat().st_size
    target = _COPIES / f"godwit-{package.name}-{size}"
    if not target.exists():
        fresh = target.with_name(f"{target.name}.{os.getpid()}")
        shutil.copytree(package, fresh / package.name)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, fresh / libraries.name)
        fresh.chmod(0o755)
        fresh.rename(target)
    if target.is_symlink() or target.stat().st_uid != 0 or target.stat().st_mode & 0o022:
        raise Unavailable(f"{target} belongs to somebody else. Remove it and start again.")
    return target / bindir.relative_to(package.parent)
