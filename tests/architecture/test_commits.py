"""Only base/database.py opens, commits and rolls back (E1 and T1 stand on it)."""

import ast

from tests.architecture.reading import calls, files, imports, module, where

ENDS = {"commit", "rollback", "begin", "begin_nested", "set_autocommit"}
#: Alembic's own connection, and the mailbox: the outside in a schema of its own.
APART = {
    "app.base.database",
    "app.base.driver",
    "app.base.pool",
    "migrations.env",
    "migrations.run",
    "app.mail.mailbox",
}

BESIDE = ("app.proof.bare_jobs", "app.proof.peer_pgqueuer")


def test_nobody_else_ends_a_transaction() -> None:
    wrong = [
        where(path, call)
        for path in files()
        if module(path) not in APART
        for call in calls(path)
        if isinstance(call.func, ast.Attribute) and call.func.attr in ENDS
    ]
    assert wrong == []


def test_nobody_else_opens_a_connection() -> None:
    """asyncpg and engines stay where roles and accounts are settled; `cli` asks if a server is there, and
    what stands beside Godwit in a bench is none of it."""
    wrong = [
        f"{where(path, node)} imports {name}"
        for path in files()
        if module(path) not in (*APART, *BESIDE) and not module(path).startswith("app.cli.")
        for name, node in imports(path)
        if name.split(".")[0] in ("asyncpg", "psycopg") or name.startswith("sqlalchemy.ext.asyncio")
    ]
    assert wrong == []
