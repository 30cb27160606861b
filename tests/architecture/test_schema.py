"""schema.sql is what the migrations make."""

import pytest

from app.cli.postgres import postgres_bindir
from migrations.dump import SCHEMA, dumped


def test_schema_sql_is_what_all_migrations_make(database_url: str) -> None:
    """When a migration changed: `.venv/bin/python -m migrations.dump`, and read the difference."""
    if not (postgres_bindir() / "pg_dump").exists():
        pytest.skip("this PostgreSQL came without pg_dump")
    assert dumped(database_url) == SCHEMA.read_text("utf-8")
