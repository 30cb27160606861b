"""Names say what a thing holds."""

import ast

from tests.architecture.reading import ROOT, files, slices, tree, where

BANNED = {
    "utils", "util", "helpers", "helper", "common", "core", "service", "repository", "repositories",
    "manager", "managers", "misc", "lib", "shared",
}  # fmt: skip


def test_no_file_or_folder_is_an_attic() -> None:
    """Name it for what it holds."""
    places = [path for top in ("app", "workers", "migrations", "tests", "e2e", "templates", "static")
              for path in (ROOT / top).rglob("*") if "__pycache__" not in path.parts]  # fmt: skip
    wrong = [where(path) for path in places if path.stem in BANNED or path.name.startswith("base_")]
    assert wrong == []


def test_no_module_shares_its_name_with_what_its_package_exports() -> None:
    """`from app.jobs import queue` must not be a guess."""
    for package in slices():
        exported = _exported(package)
        modules = {path.stem for path in package.glob("*.py")} | {
            path.name for path in package.iterdir() if path.is_dir()
        }
        assert exported & modules == set(), where(package)


def test_every_slice_has_its_chapter_head_and_its_door() -> None:
    """Ten lines or more: what it owns, its words, promises, tables, jobs; then `__all__`, and no logic."""
    for package in slices():
        door = tree(package / "__init__.py")
        head = ast.get_docstring(door) or ""
        assert len(head.splitlines()) >= 10, f"{where(package)}: the chapter head is too short"
        if package.name == "base":  # entered by its modules
            continue
        assert _exported(package) or package.name in ("web", "ops", "testing", "site"), (
            f"{where(package)}: no __all__"
        )
        for node in door.body[1:]:
            plain = isinstance(node, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign)
            assert plain, f"{where(package / '__init__.py', node)}: a door holds no logic"


def test_what_a_door_exports_is_there_and_sorted() -> None:
    for package in slices():
        exported = _exported(package)
        named = {
            alias.asname or alias.name
            for node in tree(package / "__init__.py").body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        assert exported <= named, where(package)


def test_no_file_grew_too_long() -> None:
    """400 lines at most; 250 is the aim."""
    long = [f"{where(path)}: {n}" for path in files() if (n := len(path.read_text().splitlines())) > 400]
    assert long == []


def test_no_function_grew_too_long() -> None:
    """50 lines at most; 30 is the aim. Migrations and tables of data apart."""
    long = [
        f"{where(path, node)} {node.name}: {n}"
        for path in files()
        if "versions" not in path.parts
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (n := (node.end_lineno or 0) - node.lineno + 1) > 50
    ]
    assert long == []


def _exported(package) -> set[str]:
    for node in tree(package / "__init__.py").body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return {item.value for item in node.value.elts}
    return set()
