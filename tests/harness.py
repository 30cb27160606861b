"""The real servers of a test run, a migrated template in them, and a clone of it for each process of the run.

The servers belong to the process that was asked to run the tests; processes of xdist get
their addresses. They start when the first test wants them, so that a run without a
database costs nothing; beside several processes, while these gather their tests.
"""

import asyncio
import io
import re
import shutil
import socket
import tempfile
import time
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from app.cli.folder import write_private
from app.cli.services import Services
from migrations.run import migrate_database

T = TypeVar("T")
TEMPLATE = "godwit"  # what the servers make; migrated once, then only copied
#: All but `installation`: written anew, its row would be that of a database which was loaded from a dump.
_TABLES = """
    select c.oid::regclass::text as name,
           array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '') as columns
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace and n.nspname in ('public', 'mailbox')
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'installation'
     group by c.oid
"""
_LEFT_OPEN = """
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and state like 'idle in transaction%'
"""


class Servers:
    """PostgreSQL and Valkey of this run, not durable, in a folder that goes with them."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="godwit-tests-"))
        self._services = Services(self._folder, durable=False)
        self.note = self._folder / "addresses"  # there, with both of them, once they serve

    def start(self) -> tuple[str, str]:
        """Serve; answers (the template database, Valkey)."""
        self._services.start()
        asyncio.run(_log_in_quickly(self._services.database_url))
        migrate_database(self._services.database_url, "testing")
        write_private(self.note, f"{self._services.database_url}\n{self._services.redis_url}")
        return noted(self.note)

    def stop(self) -> None:
        """End them and forget everything."""
        self._services.stop()
        shutil.rmtree(self._folder, ignore_errors=True)


def noted(note: Path) -> tuple[str, str]:
    """The addresses in a note of `Servers`; waits for them to serve."""
    deadline = time.monotonic() + 120
    while not note.exists():
        assert note.parent.exists(), "the servers of this run did not start"
        assert time.monotonic() < deadline, "the servers of this run are not there yet"
        time.sleep(0.02)
    database_url, redis_url = note.read_text().split()
    return database_url, redis_url


class Clone:
    """A database of one process of the run, brought back to the template's rows before each test."""

    def __init__(self, owner_url: str, name: str) -> None:
        self.url = at_database(owner_url, name)
        self._runner = asyncio.Runner()
        self._fresh = True
        self._pristine: dict[str, bytes] = {}  # table: its rows in COPY's binary form
        self._columns: dict[str, list[str]] = {}
        self._runner.run(copy_template(owner_url, name))
        self._connection = self._run(asyncpg.connect(self.url))
        self._run(self._connection.execute("set session_replication_role = replica; set lock_timeout = '5s'"))
        self._run(self._remember())

    def clean(self) -> None:
        """Only the template's rows are left. Connections that a test left in a transaction are ended."""
        if self._fresh:
            self._fresh = False
            return
        self._run(self._clean())

    def close(self) -> None:
        """Let the connection go."""
        self._run(self._connection.close())
        self._runner.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(work)

    async def _remember(self) -> None:
        for row in await self._connection.fetch(_TABLES):
            name = row["name"]
            self._columns[name] = row["columns"]
            if await self._connection.fetchval(f"select exists (select from {name})"):
                self._pristine[name] = await self._copy_out(name)

    async def _copy_out(self, name: str) -> bytes:
        rows = io.BytesIO()
        await self._connection.copy_from_query(
            f"select {','.join(map(_quoted, self._columns[name]))} from {name}",
            output=rows,
            format="binary",
        )
        return rows.getvalue()

    async def _clean(self) -> None:
        connection = self._connection
        await connection.execute(_LEFT_OPEN)
        asks = [f"select '{name}' as name where exists (select from {name})" for name in self._columns]
        written = {row["name"] for row in await connection.fetch(" union all ".join(asks))}
        async with connection.transaction():
            # Deleting beats truncating at a test's few rows, and waits for no reader.
            await connection.execute(
                "".join(f"delete from {name};" for name in written | set(self._pristine))
            )
            for name, rows in self._pristine.items():
                await connection.copy_to_table(
                    name.strip('"'), source=io.BytesIO(rows), columns=self._columns[name], format="binary"
                )


async def _log_in_quickly(owner_url: str) -> None:
    """Passwords set from now on are hashed once, not 4,096 times: a third of the time of a log-in."""
    connection = await asyncpg.connect(owner_url)
    try:
        with suppress(asyncpg.UndefinedObjectError):  # before PostgreSQL 16 there is no choice
            await connection.execute("set scram_iterations = 1")
            await connection.execute("alter role current_user set scram_iterations = 1")
            await connection.execute(f"alter role current_user password '{urlsplit(owner_url).password}'")
    finally:
        await connection.close()


async def copy_template(owner_url: str, name: str) -> None:
    """Make database `name` as the template is."""
    connection = await asyncpg.connect(at_database(owner_url, "postgres"))
    try:
        await connection.execute(f'drop database if exists "{name}" with (force)')
        for _ in range(50):
            try:
                await connection.execute(f'create database "{name}" template "{TEMPLATE}"')
                return
            except asyncpg.ObjectInUseError:  # another process of the run is copying it just now
                await asyncio.sleep(0.1)
        raise RuntimeError(f"somebody is connected to the template {TEMPLATE}")
    finally:
        await connection.close()


def at_database(url: str, name: str) -> str:
    """The same server, another database."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def at_number(redis_url: str, number: int) -> str:
    """The same server, another of its sixteen databases."""
    return re.sub(r"/\d+$", f"/{number % 16}", redis_url)


def flush(redis_url: str) -> None:
    """Empty one of Valkey's databases."""
    parts = urlsplit(redis_url)
    with socket.create_connection((parts.hostname or "", parts.port or 6379), timeout=5) as talk:
        talk.sendall(f"AUTH {parts.password}\r\nSELECT {parts.path.strip('/') or 0}\r\nFLUSHDB\r\n".encode())
        answer = b""
        while answer.count(b"\r\n") < 3:
            answer += talk.recv(256)
    assert b"-" not in answer, answer


def _quoted(column: str) -> str:
    return f'"{column}"'
