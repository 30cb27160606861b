"""The code as these rules read it: files, their modules, what they import and call."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("app", "workers", "migrations")


@cache
def files() -> tuple[Path, ...]:
    """Every Python file of the product, in order."""
    return tuple(sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")))


@cache
def tree(path: Path) -> ast.Module:
    """The parsed file."""
    return ast.parse(path.read_text("utf-8"), str(path))


def module(path: Path) -> str:
    """`app/jobs/queue.py` → `app.jobs.queue`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def slice_of(name: str) -> str:
    """`app.jobs.queue` → `jobs`; `workers.process` → `workers`; `app` → ''."""
    first, *rest = name.split(".")
    return first if first != "app" else (rest[0] if rest else "")


def where(path: Path, node: ast.stmt | ast.expr | None = None) -> str:
    """For people: file and line."""
    line = f":{node.lineno}" if node is not None else ""
    return f"{path.relative_to(ROOT)}{line}"


def imports(path: Path) -> Iterator[tuple[str, ast.stmt]]:
    """Each module the file imports; `from app.jobs import bell` is app.jobs.bell when that is one."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield name.name, node
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                yield (inner if _is_module(inner) else node.module), node


def calls(path: Path) -> Iterator[ast.Call]:
    """Every call in the file."""
    return (node for node in ast.walk(tree(path)) if isinstance(node, ast.Call))


@cache
def slices() -> tuple[Path, ...]:
    """The folders of the slices."""
    return tuple(sorted(path.parent for path in (ROOT / "app").glob("*/__init__.py")))


def _is_module(name: str) -> bool:
    place = ROOT / Path(*name.split("."))
    return place.with_suffix(".py").exists() or (place / "__init__.py").exists()
