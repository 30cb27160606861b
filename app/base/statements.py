"""SQL statements kept in files: `<slice>/sql/<name>.sql`, one a file.

The first line of each says what it guarantees (`-- …`); the rest can be pasted into psql
once its `:named` binds are filled in.
"""

from functools import cache
from importlib import resources
from pathlib import Path

from sqlalchemy import TextClause, text

_APP = Path(__file__).parents[1]


def load_all() -> None:
    """Read every statement now: a running process must not meet the files of a later version."""
    for path in sorted(_APP.glob("*/sql/*.sql")):
        sql(f"{_APP.name}.{path.parts[-3]}", path.stem)


@cache
def sql(package: str | None, name: str) -> TextClause:
    """The statement `name` of a slice; call it as `sql(__package__, "claim")`.

    Raises FileNotFoundError when there is no such file, ValueError when its first line
    does not say what it guarantees.
    """
    assert package is not None
    body = resources.files(package).joinpath("sql", f"{name}.sql").read_text("utf-8")
    if not body.startswith("-- "):
        raise ValueError(f"{package}/sql/{name}.sql: the first line must say what it guarantees")
    return text(body)
