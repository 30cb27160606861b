"""Statements in files: each says what it guarantees, is used, and is a plan under a runtime role."""

import ast
from functools import cache
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import text
from sqlalchemy.dialects.postgresql import asyncpg as dialect

from app.base.database import Database
from tests.architecture.reading import ROOT, calls, files, where

STATEMENTS = sorted((ROOT / "app").rglob("sql/*.sql"))


@cache
def _used() -> set[tuple[Path, str]]:
    """(slice folder, name) of each `sql(__package__, "name")`; a name passed on counts by its literal."""
    found: set[tuple[Path, str]] = set()
    for path in files():
        for call in calls(path):
            for argument in call.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    found.add((path.parent, argument.value))
    return found


@pytest.mark.parametrize("path", STATEMENTS, ids=lambda path: f"{path.parents[1].name}/{path.stem}")
def test_a_statement_says_what_it_guarantees_and_is_used(path: Path) -> None:
    first = path.read_text("utf-8").splitlines()[0]
    assert first.startswith("-- "), "the first line says what it guarantees"
    assert len(first) > 20
    assert (path.parents[1], path.stem) in _used(), "nobody uses it"


def test_every_statement_asked_for_is_there() -> None:
    asked = [
        (path, call)
        for path in files()
        for call in calls(path)
        if isinstance(call.func, ast.Name)
        and call.func.id == "sql"
        and len(call.args) == 2
        and isinstance(call.args[1], ast.Constant)
    ]
    assert asked
    for path, call in asked:
        assert (path.parent / "sql" / f"{call.args[1].value}.sql").exists(), where(path, call)


async def test_every_statement_is_a_plan_under_a_runtime_role(web: Database, worker: Database) -> None:
    """EXPLAIN checks columns, types and rights; no statement is for the owner."""
    operator = Database.for_role("operator")
    refused: list[str] = []
    for path in STATEMENTS:
        statement = str(text(path.read_text("utf-8")).compile(dialect=dialect.dialect()))
        roles = (web, worker, operator)
        problems = [problem for role in roles if (problem := await _problem(role, statement))]
        if len(problems) == len(roles):
            refused.append(f"{where(path)}: {problems}")
    await operator.close()
    assert refused == []


async def _problem(database: Database, statement: str) -> str | None:
    async with database.transaction(account_id=7) as tx:
        raw = tx.connection
        generic = raw.get_server_version().major >= 16  # before, EXPLAIN takes no parameters
        try:
            async with tx.savepoint():
                await (
                    raw.execute(f"explain (generic_plan) {statement}") if generic else raw.prepare(statement)
                )
        except asyncpg.PostgresError as error:
            return f"{database.role}: {error}"
    return None
