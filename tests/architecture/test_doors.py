"""A slice is entered by its door: `from app.jobs import enqueue`, never `from app.jobs.queue import …`."""

import ast
from pathlib import Path

from tests.architecture.reading import files, imports, module, slice_of, tree, where

_EDGES = ("pages", "forms", "api")


def _may_enter(importer: str, imported: str) -> bool:
    """The exceptions, each with its reason."""
    inner = imported.split(".")[2:]
    match slice_of(importer), slice_of(imported):
        case _, "base":  # the ground is entered by its modules
            return True
        case "workers", "jobs":  # the processes that run its loops and its sweep
            return True
        case "workers", "proof":  # a bench's worker knows a kind that no other knows
            return importer == "workers.nothing" and inner == ["noop"]
        case "web", "answers":  # the frame that its answers stand in
            return True
        case "web", "jobs":  # whoever opened the bell's connection closes it
            return importer == "app.web.asgi" and inner == ["bell"]
        case "web", "publishing":  # home and the schedule are pages with files of their own
            return importer == "app.web.routes" and inner[0] in (
                *_EDGES,
                "home",
                "schedule_pages",
                "schedule_forms",
                "schedule_api",
            )
        case "web", "readers" | "broadcasts" | "posts" | "webhooks":  # pages of another noun, or of one act
            return importer == "app.web.routes" and (
                inner[0] in _EDGES or inner[0].endswith(("_pages", "_forms", "_api"))
            )
        case "web", "accounts":  # the one table of who may enter
            return importer == "app.web.routes" and inner[0] in (*_EDGES, "guards", "idempotency")
        case "cli", "proof":  # chaos is a house of its own, and benches do not load it
            return importer == "app.cli.chaos" and inner == ["chaos"]
        case "web", _:
            return importer == "app.web.routes" and inner[0] in _EDGES
        case "migrations", _:  # a developer's dump starts the embedded servers
            return inner[0] == "models" or importer == "migrations.dump"
    return False


def test_slices_are_entered_by_their_doors() -> None:
    """Export the name from the slice's `__init__`, or ask whether it belongs there."""
    wrong = [
        f"{where(path, node)} imports {name}"
        for path in files()
        for name, node in imports(path)
        if name.startswith("app.")
        and name.count(".") >= 2
        and slice_of(name) != slice_of(module(path))
        and not _may_enter(module(path), name)
    ]
    assert wrong == []


def test_no_file_imports_relatively() -> None:
    """One spelling of every arrow, so that all of them can be found."""
    relative = [
        where(path, node)
        for path in files()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


#: Which of a slice's modules may import which: only the same rank or a lower one.
_RANKS = {"pages": 4, "forms": 4, "api": 4, "jobs": 4, "queries": 2, "models": 1, "states": 0}
_NAMED = 3


def _rank(name: str) -> int:
    inner = name.split(".")[2:]
    return _RANKS.get(inner[0], _NAMED) if inner else 5


def test_inside_a_slice_arrows_point_down_too() -> None:
    """pages | forms | api | jobs → named modules → queries → models → states; nobody imports the own door."""
    wrong = [
        f"{where(path, node)} imports {name}"
        for path in files()
        if path.name != "__init__.py" and module(path).startswith("app.") and module(path).count(".") >= 2
        for name, node in imports(path)
        if name.startswith("app.")
        and slice_of(name) == slice_of(module(path))
        and slice_of(name) not in ("base", "cli")
        and _rank(name) > _rank(module(path))
        # Who enqueues names the type of job, and those stand in jobs.py beside their handlers.
        and not (name.endswith(".jobs") and _rank(module(path)) == _NAMED)
    ]
    assert wrong == []


def test_the_app_itself_holds_nothing() -> None:
    assert Path(files()[0]).name == "__init__.py"
    assert files()[0].read_text() == ""
