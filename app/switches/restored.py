"""A database restored from a backup: what it plans may have gone out since, so it stops all mail by itself.

Seen by three signs (function `look_back`): its own row was written by another transaction than it says (a
dump was loaded); the server's log is on another timeline (recovered to a point in time, or a standby took
over); it counts fewer looks than this machine remembers in its data folder (a copy of the cluster was put
back). A copy of cluster and data folder together, put back together, has no sign: stop mail first.

Workers may be at work while that happens: so no mail is claimed before somebody has looked since the database
was loaded, or its server began (function `database_known`, asked by `mail_stopped`).
"""

import asyncio
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from uuid import UUID

from app.base.database import Database
from app.base.settings import settings
from app.base.telemetry import Trouble, log

#: Seconds between looks.
EVERY = 2.0
#: In the data folder: whose look it was, and its number.
FILE = "last-look"
_LOOK = "select * from look_back(cast(:id as uuid), cast(:seen as bigint))"


async def look_back(database: Database) -> set[str]:
    """Look once, as the worker; stops all mail when the database is not the one it was. No queue got work."""
    path = settings().data / FILE
    known, seen = _remembered(path)
    async with database.transaction() as tx:
        row = await tx.row(_LOOK, id=known, seen=seen)
    if row.restored:
        log.error("database_restored", then="all mail is stopped until an operator starts it")
    _remember(path, f"{row.id} {row.look}")
    return set()


async def look_back_first(database: Database, stopping: Callable[[], bool]) -> None:
    """Return once a look succeeded, or somebody wants to stop: nothing may be claimed before."""
    trouble = Trouble(timer="look back first")
    while not stopping():
        try:
            await look_back(database)
            return
        except Exception as error:  # a database that is away: nothing can be claimed there either
            trouble.met("timer_failed", error)
            await asyncio.sleep(1)


def _remembered(path: Path) -> tuple[UUID | None, int]:
    try:
        known, seen = path.read_text("utf-8").split()
        return UUID(known), int(seen)
    except (OSError, ValueError):
        return None, 0


def _remember(path: Path, line: str) -> None:
    """Whole or not at all; a machine without a data folder remembers nothing.

    Several workers look at once. In one file for all of them two numbers could run into each other, and the
    larger one that comes of it would stop all mail.
    """
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, fresh = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(line)
            os.replace(fresh, path)
        except OSError:
            os.unlink(fresh)
