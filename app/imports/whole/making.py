"""An export that is sent while it is made.

It is written into a file on the disk, as fast as the database answers, and read behind that at the pace of
the line: no slow line keeps a transaction open, and nobody waits for a first byte. Its connection is its own,
so that none of the pages' is taken for as long. It is made in the web process, since no worker reads drafts.
"""

import asyncio
import io
import os
import tempfile
from collections.abc import AsyncGenerator
from contextlib import suppress

from app.base.database import Database
from app.imports.whole.collecting import export_everything

AT_ONCE = 2
"""Exports made in one process; sending one that is made counts no more."""
PIECE = 256 * 1024
LOOK = 0.1
"""Seconds between looks for more."""
_TURNS = asyncio.Semaphore(AT_ONCE)


def is_busy() -> bool:
    """Whether as many are being made as may be."""
    return _TURNS.locked()


class _Onward(io.RawIOBase):
    """A file that is only added to: a zip written to it never goes back to mend what was sent."""

    def __init__(self, file: int) -> None:
        self._file = file

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        left = memoryview(data).cast("B")  # type: ignore[arg-type] - whatever zipfile hands over
        size = len(left)
        while left:
            left = left[os.write(self._file, left) :]
        return size


class Making:
    """One export in the making."""

    def __init__(self, account_id: int, *, webhooks: bool) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed when both are done with it
        self._task = asyncio.create_task(self._make(account_id, webhooks))

    async def begun(self) -> None:
        """Wait for its first bytes. Raises what keeps it from being made."""
        while not self._task.done() and not os.fstat(self._file.fileno()).st_size:
            await asyncio.wait([self._task], timeout=LOOK)
        if self._task.done():
            self._task.result()

    async def pieces(self) -> AsyncGenerator[bytes]:
        """The file. Breaks off when making it does: half a zip is none, and every program says so."""
        sent = 0
        try:
            while True:
                whole = self._task.done()
                piece = await asyncio.to_thread(os.pread, self._file.fileno(), PIECE, sent)
                if piece:
                    sent += len(piece)
                    yield piece
                elif whole:
                    self._task.result()
                    return
                else:
                    await asyncio.wait([self._task], timeout=LOOK)
        finally:
            self._task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await self._task
            self._file.close()

    async def _make(self, account_id: int, webhooks: bool) -> None:
        async with _TURNS:
            database = Database.for_role("web", pooled=False)
            try:
                onward = io.BufferedWriter(_Onward(self._file.fileno()), PIECE)
                await export_everything(database, account_id, onward, webhooks=webhooks)
                await asyncio.to_thread(onward.flush)
            finally:
                await database.close()
